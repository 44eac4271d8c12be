import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { logMetrics } from "../../infra/monitoring/log-metrics.ts";
import { api } from "../../lambdas/api.ts";
import { sharedService } from "../support/service.ts";
import { everyOption, synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, readTemplate, type Template } from "../support/template.ts";

const statShape = z.object({
  Metric: z.object({
    MetricName: z.string(),
    Dimensions: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []),
  }),
});

const alarmShape = z.object({
  AlarmName: z.string(),
  AlarmDescription: z.object({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) }),
  AlarmActions: z.array(z.unknown()),
  OKActions: z.array(z.unknown()),
  TreatMissingData: z.string(),
  Metrics: z._default(
    z.array(z.object({ Id: z.string(), Expression: z.optional(z.string()), MetricStat: z.optional(statShape) })),
    [],
  ),
});

let template: Template;
let alarms: Record<string, z.output<typeof alarmShape>>;
beforeAll(async () => {
  template = await readTemplate();
  alarms = Object.fromEntries(
    Object.values(template.ofType("AWS::CloudWatch::Alarm")).map(({ Properties }) => {
      const alarm = alarmShape.parse(Properties);
      return [alarm.AlarmName.replace("IntegrationApi-prod-", ""), alarm];
    }),
  );
});

describe("the alarms", () => {
  test("use every metric that is counted from the logs", () => {
    const used = new Set(
      Object.values(alarms).flatMap(({ Metrics }) => Metrics.map(({ MetricStat }) => MetricStat?.Metric.MetricName)),
    );
    const single = Object.values(template.ofType("AWS::CloudWatch::Alarm")).map(
      ({ Properties }) => Properties.MetricName,
    );

    for (const name of Object.keys(logMetrics)) expect([...used, ...single]).toContain(name);
  });

  test("change their name if CloudFormation has to replace them, since two alarms cannot have the same name", () => {
    for (const alarm of Object.values(template.ofType("AWS::CloudWatch::Alarm"))) {
      expect(alarm.Properties.AlarmName).toBe(`IntegrationApi-prod-${constructIdOf(alarm)}`);
    }
  });

  test.each(functionsOf(api).filter(({ kind }) => kind !== "check"))(
    "that withdraw a new version of $name count its failures, and those of no other version",
    ({ name, kind }) => {
      const { Metrics = [] } = alarms[`${name}-failing`] ?? {};
      const failures = Metrics.flatMap(({ Id, MetricStat }) =>
        MetricStat && Id !== "calls" ? [MetricStat.Metric] : [],
      );
      const versions = failures.map(({ Dimensions }) =>
        Dimensions.flatMap(({ Name, Value }) => (/Version/.test(Name) ? [JSON.stringify(Value)] : [])),
      );
      const version = `\\{"Fn::GetAtt":\\["${name.replaceAll("-", "")}CurrentVersion\\w+","Version"\\]\\}`;

      expect(versions).toEqual(failures.map(() => [expect.stringMatching(version)]));
      expect(failures.map(({ MetricName }) => MetricName)).toEqual([
        ...(kind === "usage" || kind === "notices" ? [] : ["VersionFailures"]),
        ...(kind === "admin" ? [] : ["Errors"]),
      ]);
    },
  );

  test("see API Gateway's count of 5xx, which a scanner can raise, only in comparison with the log", () => {
    const counting = Object.values(template.ofType("AWS::CloudWatch::Alarm")).filter((alarm) =>
      /"MetricName":"5xx"/i.test(JSON.stringify(alarm)),
    );

    expect(counting.map(({ Properties }) => Properties.AlarmName)).toEqual(["IntegrationApi-prod-unlogged-errors"]);
  });

  test("say what has happened, with the address of the section of the runbook that says what to do", async () => {
    const service = await sharedService();
    const page = await (await fetch(`${service.baseUrl}/runbook`)).text();
    const text = /^\["[A-Z].+\. What to do: ",\{"Fn::GetAtt":\["HttpApi\w+","ApiEndpoint"\]\},"\/runbook#(.+)"\]$/;
    for (const { AlarmDescription } of Object.values(alarms)) {
      const [, anchor] = text.exec(JSON.stringify(AlarmDescription["Fn::Join"][1])) ?? [];
      expect(page).toContain(`<h3 id="${anchor}">`);
    }

    const { ofType } = await readTemplate(await synthesiseTemplates(everyOption));
    for (const { Properties } of Object.values(ofType("AWS::CloudWatch::Alarm"))) {
      expect(Properties.AlarmDescription).toMatch(`What to do: ${everyOption.runbookUrl}#`);
    }
  });

  test("notify the topic when they fire and when they clear, and do not fire without calls", () => {
    const topicId = Object.keys(template.ofType("AWS::SNS::Topic")).find((id) => id.startsWith("Monitoring"));

    for (const [name, alarm] of Object.entries(alarms)) {
      expect(alarm).toMatchObject({
        AlarmActions: [{ Ref: topicId }],
        OKActions: [{ Ref: topicId }],
        // A schedule that does not run leaves no data.
        TreatMissingData: name === "notices-missing" ? "breaching" : "notBreaching",
      });
    }
  });

  test("only use metrics that they declare, and fill gaps in the metrics that they add up", () => {
    for (const { Metrics } of Object.values(alarms)) {
      for (const { Expression = "" } of Metrics) {
        for (const [name] of Expression.matchAll(/\b[a-z]\w*/g)) expect(Metrics.map(({ Id }) => Id)).toContain(name);
        for (const [, sum = ""] of Expression.matchAll(/\(([^()]*\+[^()]*)\)/g)) expect(sum).toMatch(/FILL/);
      }
    }
  });
});

test("the topic accepts alarms of this account from CloudWatch", () => {
  const policies = Object.entries(template.ofType("AWS::SNS::TopicPolicy"));
  const [, policy] = policies.find(([id]) => id.startsWith("Monitoring")) ?? [];
  const text = JSON.stringify(policy?.Properties.PolicyDocument);

  expect(text).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
});

test("alarms and notices are mailed to the addresses that the operator gives", async () => {
  const named = await readTemplate(await synthesiseTemplates(everyOption));

  const mailed = Object.values(named.ofType("AWS::SNS::Subscription")).map(({ Properties }) => Properties.Endpoint);
  expect(mailed.toSorted()).toEqual(["notices@example.com", "ops@example.com"]);
});
