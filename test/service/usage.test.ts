import { readFilterPattern } from "cdk-local-runner/parts";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { logMetrics } from "../../infra/monitoring/log-metrics.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { readTemplate } from "../support/template.ts";

/* From the log lines of calls to the numbers that admins see. How lines are counted is tested in test/lambdas/resources/usage/. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const counts = z.record(z.string(), z.number());
const usageAnswer = z.looseObject({
  hours: z.array(z.object({ hour: z.string(), statuses: counts, codes: counts, leak_signals: z.number() })),
});

const usageOf = async (token_id: unknown) => usageAnswer.parse(await service.admin({ action: "usage", token_id }));

const issue = async (ip = "127.0.0.1") => {
  const { token_id, token } = await service.admin({ action: "issue", ip });
  return { token_id, token: String(token) };
};

const sum = (all: Record<string, number>[]): Record<string, number> => {
  const total: Record<string, number> = {};
  for (const one of all) for (const [name, count] of Object.entries(one)) total[name] = (total[name] ?? 0) + count;
  return total;
};

const total = (all: Record<string, number>[]): number =>
  all.flatMap((one) => Object.values(one)).reduce((one, other) => one + other, 0);

test("the use of a token is available by outcome, with its refusals and leaks, moments after the calls", async () => {
  const { token, token_id } = await issue();
  expect(await usageOf(token_id)).toMatchObject({ hours: [], refusals: [], last_used_at: null, rotation: null });
  for (const path of ["/api/v1/token", "/api/v1/token", "/api/v1/key/absent", "/api/v1/key?limit=0"]) {
    await service.call("GET", path, { token });
  }
  await service.call("GET", "/api/v1/token", { token, from: "127.0.0.66" });

  // Over all hours: a test may begin in one hour and end in the next.
  const outcomes = async () => {
    const { hours } = await usageOf(token_id);
    return sum(hours.flatMap(({ statuses, codes }) => [statuses, codes]));
  };
  const expected = { "2xx": 2, "4xx": 3, key_not_found: 1, validation_failed: 1, ip_not_allowed: 1 };
  await expect.poll(outcomes).toEqual(expected);
  const { refusals } = await usageOf(token_id);
  const leak = { code: "ip_not_allowed", status: 403, source_ip: "127.0.0.66", leak: true };
  expect(refusals).toMatchObject([leak, { leak: false }, { leak: false }]);
  const { leaks } = await service.admin({ action: "leaks" });
  expect(leaks).toContainEqual(expect.objectContaining({ token_id, source_ip: "127.0.0.66" }));
});

test("the dashboard has the same sums by token and by reason", async () => {
  const tokens = await Promise.all([issue(), issue(), issue("127.0.0.9")]);
  for (const { token } of tokens) {
    for (const path of ["/api/v1/token", "/api/v1/key?limit=0"]) await service.call("GET", path, { token });
  }
  await service.call("GET", "/api/v1/token", { token: "itk_no_token" });

  const lines: Record<string, unknown>[] = [...service.logged().matchAll(/^\[(?!admin)[^\]]+\] (\{.+\})$/gm)].map(
    ([, line = ""]) => JSON.parse(line),
  );
  // The widgets "Tokens with the most calls" and "Refusals by reason".
  const dashboard = JSON.stringify((await readTemplate()).ofType("AWS::CloudWatch::Dashboard"));
  expect(dashboard).toContain('filter message = \\\\\\"request\\\\\\" and ispresent(token_id)');
  expect(dashboard).toContain('filter message = \\\\\\"request\\\\\\" and ispresent(code)');
  // Calls without a correct secret are only on the dashboard.
  const calls = lines.filter(({ message, token_id }) => message === "request" && token_id !== undefined);
  const countBy = (counted: Record<string, unknown>[], field: string) =>
    sum(counted.map((line) => ({ [String(line[field])]: 1 })));
  const callsByToken = countBy(calls, "token_id");
  const leaks = lines.filter(readFilterPattern(logMetrics.LeakSignals.lines)).length;

  const viewed = async () => {
    const all = await Promise.all(Object.keys(callsByToken).map(async (id) => ({ id, ...(await usageOf(id)) })));
    const hours = all.flatMap((usage) => usage.hours);
    return {
      calls: sum(all.map(({ id, hours }) => ({ [id]: total(hours.map(({ statuses }) => statuses)) }))),
      refusals: sum(hours.map(({ codes }) => codes)),
      leaks: total(hours.map(({ leak_signals }) => ({ leak_signals }))),
    };
  };
  const refusals = countBy(
    calls.filter(({ code }) => code),
    "code",
  );
  await expect.poll(viewed).toEqual({ calls: callsByToken, refusals, leaks });
  expect(Object.keys(callsByToken).length).toBeGreaterThanOrEqual(tokens.length);
  expect(leaks).toBeGreaterThanOrEqual(2);
});
