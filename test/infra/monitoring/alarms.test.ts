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
  test("are those of the service, and of every function", () => {
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

  test("say what has happened, and send their reader to a section of the runbook that is there", async () => {
    const runbook = await readFile(new URL("../../../docs/runbook.md", import.meta.url), "utf8");

    for (const { AlarmDescription } of Object.values(alarms)) {
      const [, section] = /^\w.+\. What to do: docs\/runbook\.md, "(.+)"\.$/.exec(AlarmDescription) ?? [];
      expect(runbook).toContain(`\n### ${section}\n`);
    }
  });

  test("are told to the topic when they go off and when they are over, and are still where there is no call", () => {
    const [topicId] = Object.keys(template.ofType("AWS::SNS::Topic"));

    for (const alarm of Object.values(alarms)) {
      expect(alarm).toMatchObject({
        AlarmActions: [{ Ref: topicId }],
        OKActions: [{ Ref: topicId }],
        TreatMissingData: "notBreaching",
      });
    }
  });

  test("compute with metrics that they have, and never add what may have gaps", () => {
    for (const { Metrics } of Object.values(alarms)) {
      const expression = Metrics.find((metric) => metric.Expression)?.Expression ?? "";
      const ids = Metrics.filter((metric) => !metric.Expression).map(({ Id }) => Id);

      for (const [name] of expression.matchAll(/\b[a-z]\w*/g)) expect(ids).toContain(name);
      for (const [, sum = ""] of expression.matchAll(/\(([^()]*\+[^()]*)\)/g)) expect(sum).toMatch(/FILL/);
    }
  });
});

test("the topic lets CloudWatch tell it of this account's alarms, and nobody speak to it in clear", () => {
  const [policy] = Object.values(template.ofType("AWS::SNS::TopicPolicy"));
  const text = JSON.stringify(policy?.Properties.PolicyDocument);

  expect(text).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
  expect(text).toContain('"aws:SecureTransport":"false"');
});

test("alarms come by mail to whoever the operator names", async () => {
  const named = await readTemplate(await synthesiseWith(everyOption));

  expect(Object.values(named.ofType("AWS::SNS::Subscription"))).toEqual([
    expect.objectContaining({
      Properties: expect.objectContaining({ Endpoint: "ops@example.com", Protocol: "email" }),
    }),
  ]);
});

test("a stage for development costs nothing by the month: no alarm, no metric, no dashboard, no key", async () => {
  const dev = await readTemplate(await synthesiseWith({ stage: "dev" }));

  for (const type of ["CloudWatch::Alarm", "CloudWatch::Dashboard", "Logs::MetricFilter", "KMS::Key"]) {
    expect(dev.ofType(`AWS::${type}`)).toEqual({});
  }
});

test("the dashboard asks the three questions, and shows every alarm", () => {
  const [dashboard] = Object.values(template.ofType("AWS::CloudWatch::Dashboard"));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);

  for (const question of ["Is it well?", "Who is using it?", "What is refused?"]) expect(body).toContain(question);
  for (const logicalId of Object.keys(template.ofType("AWS::CloudWatch::Alarm"))) expect(body).toContain(logicalId);
});

test("the questions that operators ask of the logs are saved", () => {
  expect(Object.values(template.ofType("AWS::Logs::QueryDefinition")).map(constructIdOf)).toEqual(
    expect.arrayContaining(["Why was this client refused", "What did this token do", "What became of this request"]),
  );
});
