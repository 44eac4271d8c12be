import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { readTemplate } from "../support/template.ts";

const alarmShape = z.object({
  AlarmName: z.string(),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number(),
});

/** The alarm that rolls back a new version of an endpoint. */
const endpointAlarm = async () => {
  const alarms = Object.values((await readTemplate()).ofType("AWS::CloudWatch::Alarm"));
  const found = alarms.find(({ Properties }) => String(Properties.AlarmName).endsWith("v1-get-key-failing"));
  const expression = /failures >= (\d+), 100 \* failures \/ calls/.exec(JSON.stringify(found?.Properties.Metrics));
  return { ...alarmShape.parse(found?.Properties), failures: Number(expression?.[1]) };
};

const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k);

/** The probability of an alarm within its window if every call of the new version fails, at this mean rate per minute. */
const likelihoodOf = async (callsPerMinute: number): Promise<number> => {
  const { failures, EvaluationPeriods: all, DatapointsToAlarm: bad } = await endpointAlarm();
  const fewer = Array.from({ length: failures }, (_, k) => callsPerMinute ** k / factorial(k));
  const share = 1 - Math.exp(-callsPerMinute) * fewer.reduce((sum, one) => sum + one, 0);
  const terms = Array.from({ length: bad }, (_, k) => binomial(all, k) * share ** k * (1 - share) ** (all - k));
  return 1 - terms.reduce((sum, one) => sum + one, 0);
};

const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));

/** The new version's share of the calls. */
const canaryShare = 0.1;

test("deploy.md states the traffic above which the canary is meaningful", async () => {
  const guide = await readFile("docs/deploy.md", "utf8");
  const { Threshold, failures, EvaluationPeriods, DatapointsToAlarm } = await endpointAlarm();

  expect({ failures, EvaluationPeriods, DatapointsToAlarm }).toEqual({
    failures: 2,
    EvaluationPeriods: 5,
    DatapointsToAlarm: 2,
  });
  expect(guide).toContain("two failures in a minute, in two of five minutes");
  expect(guide).toContain(`at least ${Threshold / canaryShare} % of its calls fail`);
  expect(await likelihoodOf(10 * canaryShare)).toBeLessThan(0.5);
  expect(await likelihoodOf(20 * canaryShare)).toBeGreaterThan(0.9);
  expect(await likelihoodOf(40 * canaryShare)).toBeGreaterThan(0.999);
  for (const callsPerMinute of [10, 20, 40]) expect(guide).toContain(`with ${callsPerMinute} calls a minute`);
});
