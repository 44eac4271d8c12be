import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { minuteOf } from "../../lambdas/resources/limits/minute.ts";
import { formatTokenText, generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { operationExamples } from "../../tools/support/examples.ts";
import { exampleStates } from "../../tools/support/table-states.ts";
import { inMs, newToken } from "../../tools/support/tokens.ts";
import type { Call } from "./support/fault-proxy.ts";
import { faults } from "./support/faults.ts";
import { type Lane, startLane } from "./support/lane.ts";

let lane: Lane;
beforeAll(async () => {
  lane = await startLane(inject("assemblyDirectory"));
});
afterAll(() => lane.close());

const examples = operationExamples();
/** An endpoint that reads ahead for callers that it knows, and one that does not. */
const [ahead] = examples.filter(({ operation }) => operation.endpoint.readsAhead);
const [plain] = examples.filter(({ operation }) => !operation.endpoint.readsAhead);
const endpoints = [ahead, plain].filter((example) => example !== undefined);

const always = Number.POSITIVE_INFINITY;
// One slow fault represents the others.
const faultNames = Object.keys(faults).filter((name) => !faults[name]?.isSlow || name === "no answer");
const cases = endpoints.flatMap(({ request }) =>
  faultNames.flatMap((name) => [1, always].map((times) => ({ request, name, times, fault: faults[name]?.fault }))),
);

/** Calls endpoints with tokens whose calls to the database meet each fault. Returns the statuses by fault. */
const statusesOf = async (bear: () => Promise<{ text: string; matches: (call: Call) => boolean }>) => {
  const prepared = [];
  for (const one of cases) prepared.push({ ...one, ...(await bear()) });
  return Promise.all(
    prepared.map(async ({ request, name, times, fault, text, matches }) => {
      if (!fault) throw new Error(`There is no fault ${name}.`);
      const injected = lane.proxy.inject({ matches, fault, times });
      let { status } = await lane.call(request, text);
      // On a busy machine a call may be given up before it meets the fault.
      for (let attempts = 1; injected.hits() === 0 && attempts < 5; attempts += 1) {
        ({ status } = await lane.call(request, text));
      }
      injected.remove();
      return { name, times, status, wasMet: injected.hits() > 0 };
    }),
  );
};

type Bearer = () => Promise<{ text: string; id: string }>;

const stored =
  (fields: Parameters<Lane["storedToken"]>[0]): Bearer =>
  async () => {
    const { text, record } = await lane.storedToken(fields);
    return { text, id: record.token_id };
  };

/** Tokens that admit nobody, whatever the database answers. */
const bearers: Record<string, Bearer> = {
  "a token that nobody issued": async () => {
    const { text, record } = newToken();
    return { text, id: record.token_id };
  },
  "a wrong secret": async () => {
    const { record } = await lane.storedToken();
    return { text: formatTokenText({ ...generateTokenText(), token_id: record.token_id }), id: record.token_id };
  },
  "a token that has expired": stored({ expires_at: inMs(-1) }),
  "a token that was revoked": stored({ revoked_at: inMs(-1), revoked_by: "invoke:revoke-1" }),
  "the token of another address": stored({ ip: "127.0.0.9" }),
};

describe.each(Object.entries(bearers))("%s", (_, bear) => {
  test("admits nobody, whatever fault its look-up meets", async () => {
    const outcomes = await statusesOf(async () => {
      const { text, id } = await bear();
      return { text, matches: ({ body }) => body.includes(id) };
    });
    expect(outcomes.filter(({ wasMet }) => !wasMet)).toEqual([]);
    expect(outcomes.filter(({ status }) => ![401, 403, 503].includes(status))).toEqual([]);
  });
});

describe("a token that has used up its limit", () => {
  test("admits no request, whatever fault its counter meets", async () => {
    const outcomes = await statusesOf(async () => {
      const { text, record } = await lane.storedToken({ rate_limit: 1 });
      // A new minute may begin in the meantime.
      for (const now of [Date.now(), Date.now() + 60_000]) {
        await lane.stores.limits.take(record.token_id, { minute: minuteOf(now), limit: 1 });
      }
      return { text, matches: ({ body }) => body.includes(`"minute_id":{"S":"${record.token_id}/`) };
    });
    expect(outcomes.filter(({ wasMet }) => !wasMet)).toEqual([]);
    expect(outcomes.filter(({ status }) => ![429, 503].includes(status))).toEqual([]);
  });
});

describe("a database that refuses connections", () => {
  test("makes every endpoint unavailable until it accepts connections again", async () => {
    await lane.tables.fill(exampleStates.filled);
    const { text } = await lane.storedToken();
    const before = await lane.tables.contents();
    const callAll = () => Promise.all(examples.map(({ request }) => lane.call(request, text)));

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
  await lane.stores.keys.create({ key_id, v_code: "hushhush".repeat(8) });
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
