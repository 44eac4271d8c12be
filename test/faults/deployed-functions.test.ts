import { expect, inject, onTestFinished, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import * as tables from "../../lambdas/domain/tables.ts";
import { deploy } from "../kit/faults/deployment.ts";
import { endpointExamples, invocationExamples, testFaults, testSlowDatabase } from "../kit/faults/faults.ts";
import { newToken } from "../kit/support/tokens.ts";

const assembly = async () => inject("assemblyDirectory");
const endpoints = endpointExamples(api);

testFaults(api, { assembly, examples: [...endpoints, ...invocationExamples(api)] });

// A rotation looks up its token, counts a call, and makes every kind of write.
testSlowDatabase(api, { assembly, examples: endpoints.filter(({ name }) => name === "v1-rotate-token") });

test("deployments in one process ask their own issuers", async () => {
  const deployments = await Promise.all([assembly(), assembly()].map(async (folder) => deploy(api, await folder)));
  onTestFinished(async () => void (await Promise.all(deployments.map(({ close }) => close()))));
  const exchange = endpoints.find(({ name }) => name === "v1-exchange-token");
  const calls = await Promise.all(deployments.map((deployment) => exchange?.prepare(deployment, "filled")));
  // Both functions are loaded before either asks for keys.
  const responses = await Promise.all(calls.map((call) => call?.()));

  expect(responses.map((response) => response?.status)).toEqual([201, 201]);
});

test("does not log the part of a v_code that was in a damaged response", async () => {
  const { access, proxy, call, close } = await deploy(api, await assembly());
  onTestFinished(close);
  const ip = "127.0.0.1";
  const { record, text } = newToken({ ip });
  await access.put("tokens", record);
  await access.put("keys", { ...tables.keys.example, key_id: "damaged", v_code: "hushhush".repeat(8) });
  // Each attempt gets a response that is damaged at a different position in the v_code.
  let attempts = 0;
  proxy.plan(async ({ forward, send }) => {
    const whole = await forward();
    const at = whole.body.indexOf("hushhush") + (attempts % 12);
    if (!whole.body.includes("hushhush")) return send(whole);
    attempts += 1;
    const body = Buffer.concat([whole.body.subarray(0, at), Buffer.from('"\n'), whole.body.subarray(at)]);
    send({ ...whole, headers: { ...whole.headers, "content-length": String(body.length) }, body });
  });
  const request = { method: "GET", path: "/api/v1/key/damaged", query: "" };
  const responses = await Promise.all(Array.from({ length: 12 }, () => call(request, text, ip)));
  for (const { status, log } of responses) {
    expect(status).toBe(503);
    expect(log).toContain('"status":503');
    expect(log).not.toMatch(/hush/);
  }
});
