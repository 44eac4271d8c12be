import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { everyOption, synthesiseWith } from "../../support/stages.ts";
import { constructIdOf, readTemplate, type Template } from "../../support/template.ts";

const alarmShape = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()),
  OKActions: z.array(z.unknown()),
  TreatMissingData: z.string(),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number(),
  Metrics: z._default(z.array(z.object({ Id: z.string(), Expression: z.optional(z.string()) })), []),
});

let template: Template;
let alarms: Record<string, z.output<typeof alarmShape>>;
beforeAll(async () => {
  template = await readTemplate();
  alarms = Object.fromEntries(
    Object.values(template.ofType("AWS::CloudWatch::Alarm")).map((alarm) => [
      String(alarm.Metadata["aws:cdk:path"]).split("/").slice(2, -1).join("/"),
      alarmShape.parse(alarm.Properties),
    ]),
  );
});

describe("the alarms", () => {
  test("cover the service, its tables and every function", () => {
    const names = functionsOf(api).map(({ name }) => name);

    expect(Object.keys(alarms)).toEqual(
      expect.arrayContaining([
        "Alarms/ServerErrors",
        "Alarms/Latency",
        "Alarms/TooManyRequests",
        "Alarms/LeakedToken",
        "Alarms/DatabaseUnavailable",
        "Alarms/keys-throttled",
        "Alarms/keys-errors",
        "Alarms/tokens-throttled",
        "Alarms/tokens-errors",
        "Alarms/limits-throttled",
        "Alarms/limits-errors",
        "Alarms/usage-throttled",
        "Alarms/usage-errors",
        "usage/LinesLost",
        ...names.map((name) => `${name}/Failing`),
        ...names.filter((name) => !["site", "fallback", "usage"].includes(name)).map((name) => `${name}/Throttled`),
      ]),
    );
  });

  test.each<[string, string, { Threshold: number; of: number; bad?: number }]>([
    ["1 % of all calls get 5xx", "Alarms/ServerErrors", { Threshold: 1, of: 1 }],
    ["1 % of all calls take a second or more, for a quarter of an hour", "Alarms/Latency", { Threshold: 1000, of: 3 }],
    ["API Gateway refuses 100 calls in five minutes", "Alarms/TooManyRequests", { Threshold: 100, of: 1 }],
    ["a token is used from another address", "Alarms/LeakedToken", { Threshold: 1, of: 1 }],
    ["the database is unavailable for five calls", "Alarms/DatabaseUnavailable", { Threshold: 5, of: 1 }],
    ["DynamoDB throttles a table", "Alarms/keys-throttled", { Threshold: 1, of: 1 }],
    ["DynamoDB fails five times on a table", "Alarms/keys-errors", { Threshold: 5, of: 1 }],
    ["3 % of a function's calls fail in two of five minutes", "v1-get-key/Failing", { Threshold: 3, bad: 2, of: 5 }],
    ["a function is throttled", "v1-get-key/Throttled", { Threshold: 1, of: 1 }],
    ["log lines could not be counted", "usage/LinesLost", { Threshold: 1, of: 1 }],
  ])("fire if %s", (_, name, { Threshold, of, bad = of }) => {
    expect(alarms[name]).toMatchObject({ Threshold, DatapointsToAlarm: bad, EvaluationPeriods: of });
  });

  test("are the same for all tables and for all functions of a kind", () => {
    const limits = Map.groupBy(Object.entries(alarms), ([name]) => name.replace(/^.*([-/])/, "$1"));
    for (const kind of ["-throttled", "-errors", "/Failing", "/Throttled"]) {
      const thresholds = limits
        .get(kind)
        ?.map(([, { Threshold, EvaluationPeriods }]) => [Threshold, EvaluationPeriods]);

      expect(new Set(thresholds?.map(String)).size, kind).toBe(1);
    }
  });

  test("say what has happened, and refer to an existing section of the runbook", async () => {
    const runbook = await readFile(new URL("../../../docs/runbook.md", import.meta.url), "utf8");

    for (const { AlarmDescription } of Object.values(alarms)) {
      const [, section] = /^\w.+\. What to do: docs\/runbook\.md, "(.+)"\.$/.exec(AlarmDescription) ?? [];
      expect(runbook).toContain(`\n### ${section}\n`);
    }
  });

  test("notify the topic when they fire and when they clear, and do not fire without calls", () => {
    const [topicId] = Object.keys(template.ofType("AWS::SNS::Topic"));

    for (const alarm of Object.values(alarms)) {
      expect(alarm).toMatchObject({
        AlarmActions: [{ Ref: topicId }],
        OKActions: [{ Ref: topicId }],
        TreatMissingData: "notBreaching",
      });
    }
  });

  test("only use metrics that they declare, and fill gaps in the metrics that they add up", () => {
    for (const { Metrics } of Object.values(alarms)) {
      const expression = Metrics.find((metric) => metric.Expression)?.Expression ?? "";
      const ids = Metrics.filter((metric) => !metric.Expression).map(({ Id }) => Id);

      for (const [name] of expression.matchAll(/\b[a-z]\w*/g)) expect(ids).toContain(name);
      for (const [, sum = ""] of expression.matchAll(/\(([^()]*\+[^()]*)\)/g)) expect(sum).toMatch(/FILL/);
    }
  });
});

test("the topic accepts alarms of this account from CloudWatch, and nothing unencrypted", () => {
  const [policy] = Object.values(template.ofType("AWS::SNS::TopicPolicy"));
  const text = JSON.stringify(policy?.Properties.PolicyDocument);

  expect(text).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
  expect(text).toContain('"aws:SecureTransport":"false"');
});

test("alarms are mailed to the address that the operator gives", async () => {
  const named = await readTemplate(await synthesiseWith(everyOption));

  expect(Object.values(named.ofType("AWS::SNS::Subscription"))).toEqual([
    expect.objectContaining({
      Properties: expect.objectContaining({ Endpoint: "ops@example.com", Protocol: "email" }),
    }),
  ]);
});

test("the development stage has no fixed costs: no alarms, metrics, dashboard or key", async () => {
  const dev = await readTemplate(await synthesiseWith({ stage: "dev" }));

  for (const type of ["CloudWatch::Alarm", "CloudWatch::Dashboard", "Logs::MetricFilter", "KMS::Key"]) {
    expect(dev.ofType(`AWS::${type}`)).toEqual({});
  }
});

test("the dashboard has its three sections, and shows every alarm", () => {
  const [dashboard] = Object.values(template.ofType("AWS::CloudWatch::Dashboard"));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);

  for (const question of ["Is it well?", "Who is using it?", "What is refused?"]) expect(body).toContain(question);
  for (const logicalId of Object.keys(template.ofType("AWS::CloudWatch::Alarm"))) expect(body).toContain(logicalId);
});

test("the queries that operators need are saved", () => {
  expect(Object.values(template.ofType("AWS::Logs::QueryDefinition")).map(constructIdOf)).toEqual(
    expect.arrayContaining(["Why was this client refused", "What did this token do", "What became of this request"]),
  );
});
