import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { exampleCaller } from "../../tools/support/example-callers.ts";
import { operationExamples } from "../../tools/support/examples.ts";
import { exampleStates } from "../../tools/support/table-states.ts";
import { inMs } from "../../tools/support/tokens.ts";
import { author, noteOf } from "../support/authors.ts";
import { type Lane, startLane } from "./support/lane.ts";

let lane: Lane;
beforeAll(async () => {
  lane = await startLane(inject("assemblyDirectory"));
});
afterAll(() => lane.close());

const examples = operationExamples();

describe("a database that refuses connections", () => {
  test("makes every endpoint unavailable until it accepts connections again", async () => {
    await lane.tables.fill(exampleStates.filled);
    const callers = examples.map(({ operation: { endpoint }, request }) => {
      const caller = exampleCaller(endpoint, { ip: "127.0.0.1", fields: { last_used_at: inMs(0) } });
      return { request, ...caller };
    });
    for (const { record } of callers) await lane.stores.tokens.insert(record, noteOf("issued"));
    const before = await lane.tables.contents();
    const callAll = () => Promise.all(callers.map(({ request, text, from }) => lane.call(request, text, from)));

    await lane.proxy.refuse();
    for (const { status, headers, log } of await callAll()) {
      expect({ status, retryAfter: headers["retry-after"] }).toEqual({ status: 503, retryAfter: "1" });
      expect(log).not.toContain("before the function's time-out");
    }
    expect(await lane.tables.contents()).toEqual(before);

    await lane.proxy.accept();
    for (const { status } of await callAll()) expect(status).toBeLessThan(500);
  });
});

test("the part of a v_code that a damaged response contained is not in the log", async () => {
  const { text } = await lane.storedToken();
  const key_id = "damaged";
  await lane.stores.keys.create({ key_id, v_code: "hushhush".repeat(8) }, author);
  const request = { method: "GET", path: `/api/v1/key/${key_id}`, query: "" };
  // Each attempt gets a response that is damaged at another position in the v_code.
  let attempts = 0;
  const injected = lane.proxy.inject({
    matches: ({ body }) => body.includes(`{"S":"${key_id}"}`),
    times: Number.POSITIVE_INFINITY,
    fault: async ({ forward, answer }) => {
      const whole = await forward();
      const at = whole.body.indexOf("hushhush") + (attempts % 12);
      attempts += 1;
      const body = Buffer.concat([whole.body.subarray(0, at), Buffer.from('"\n'), whole.body.subarray(at)]);
      answer({ ...whole, headers: { ...whole.headers, "content-length": String(body.length) }, body });
    },
  });
  const logs = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { status, log } = await lane.call(request, text);
      expect(status).toBe(503);
      return log;
    }),
  );
  injected.remove();
  for (const log of logs) {
    expect(log).toContain('"status":503');
    expect(log).not.toMatch(/hush/);
  }
});
