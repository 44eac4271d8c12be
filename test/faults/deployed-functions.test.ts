import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import * as tables from "../../lambdas/domain/tables.ts";
import { type Deployment, deploy } from "../kit/faults/deployment.ts";
import { quickFaultsOn, slowFaults } from "../kit/faults/fault-proxy.ts";
import { type Example, endpointExamples, problemsInTime, problemsWith, testFaults } from "../kit/faults/faults.ts";
import { actionExamples } from "../kit/support/examples.ts";
import { recordsIn } from "../kit/support/table-states.ts";
import { newToken } from "../kit/support/tokens.ts";

testFaults(api, { assembly: async () => inject("assemblyDirectory") });

const quickFaults = Object.entries(quickFaultsOn(api.tables));
const ip = "127.0.0.1";

let deployment: Deployment;
beforeAll(async () => {
  deployment = await deploy(api, inject("assemblyDirectory"));
});
afterAll(() => deployment.close());

const actions = actionExamples(api).map(
  ({ name, payload }): Example => ({
    name,
    async prepare(on, state) {
      await on.access.fill(recordsIn(state, api.tables));
      return () => on.admin(payload);
    },
  }),
);

describe("after a single fault, an action succeeds or the admin function is unavailable, and the action can be repeated", () => {
  test.each(actions)("$name", async (example) => {
    expect(await problemsWith(deployment, example, 1, quickFaults)).toEqual([]);
  });
});

describe.concurrent("with a slow database, the admin function is unavailable and writes a log line before Lambda ends it", () => {
  test.each(actions)("$name", async (example) => {
    const own = await deploy(api, inject("assemblyDirectory"));
    expect(await problemsInTime(own, example)).toEqual([]);
    await own.close();
  });
});

// A rotation looks up its token, counts a call, and makes every kind of write.
describe.concurrent("the same is true of a rotation in which one call meets", () => {
  const rotation = endpointExamples(api).find(({ name }) => name === "v1-rotate-token");
  const slow = Object.entries(slowFaults).map((fault) => ({ name: fault[0], fault, attempts: 1 }));
  // The SDK makes three attempts. Later calls meet no fault, so the function must not reach them.
  const lasting = quickFaults.map((fault) => ({
    name: `${fault[0]} each time`,
    fault,
    attempts: 3,
  }));
  test.each([...slow, ...lasting])("$name", async ({ fault, attempts }) => {
    if (!rotation) throw new Error("There is no rotation.");
    const own = await deploy(api, inject("assemblyDirectory"));
    expect(await problemsWith(own, rotation, attempts, [fault])).toEqual([]);
    await own.close();
  });
});

test("does not log the part of a v_code that a damaged response contained", async () => {
  const { record, text } = newToken({ ip });
  await deployment.access.put("tokens", record);
  await deployment.access.put("keys", { ...tables.keys.example, key_id: "damaged", v_code: "hushhush".repeat(8) });
  // Each attempt gets a response that is damaged at a different position in the v_code.
  let attempts = 0;
  deployment.proxy.plan(async ({ forward, send }) => {
    const whole = await forward();
    const at = whole.body.indexOf("hushhush") + (attempts % 12);
    if (!whole.body.includes("hushhush")) return send(whole);
    attempts += 1;
    const body = Buffer.concat([whole.body.subarray(0, at), Buffer.from('"\n'), whole.body.subarray(at)]);
    send({ ...whole, headers: { ...whole.headers, "content-length": String(body.length) }, body });
  });
  const request = { method: "GET", path: "/api/v1/key/damaged", query: "" };
  const responses = await Promise.all(Array.from({ length: 12 }, () => deployment.call(request, text, ip)));
  deployment.proxy.plan();
  for (const { status, log } of responses) {
    expect(status).toBe(503);
    expect(log).toContain('"status":503');
    expect(log).not.toMatch(/hush/);
  }
});
