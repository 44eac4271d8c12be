import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { logMetrics } from "../../infra/monitoring/log-metrics.ts";
import { api } from "../../lambdas/api.ts";
import { anchorOf } from "../../lambdas/shared/addresses.ts";
import { everyOption, synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, readTemplate, type Template } from "../support/template.ts";

const metricShape = z.object({
  MetricName: z.string(),
  Dimensions: z._default(z.array(z.object({ Name: z.string(), Value: z.unknown() })), []),
});
const statShape = z.object({ Metric: metricShape });

const alarmShape = z.looseObject({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
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
    template.propertiesOf("AWS::CloudWatch::Alarm").map((properties) => {
      const alarm = alarmShape.parse(properties);
      return [alarm.AlarmName.replace("IntegrationApi-prod-", ""), alarm];
    }),
  );
});

describe("the alarms", () => {
  test("use every metric that log filters count, except for rejected code caches", () => {
    const used = new Set(
      Object.values(alarms).flatMap(({ Metrics }) => Metrics.map(({ MetricStat }) => MetricStat?.Metric.MetricName)),
    );
    const single = template.propertiesOf("AWS::CloudWatch::Alarm").map(({ MetricName }) => MetricName);

    const { RejectedCodeCaches: _, ...others } = logMetrics;
    for (const name of Object.keys(others)) expect([...used, ...single]).toContain(name);
  });

  test("get a new name if CloudFormation has to replace them, since alarm names must be unique", () => {
    for (const alarm of Object.values(template.ofType("AWS::CloudWatch::Alarm"))) {
      expect(alarm.Properties.AlarmName).toBe(`IntegrationApi-prod-${constructIdOf(alarm)}`);
    }
  });

  test.each(functionsOf(api).filter(({ kind }) => kind !== "check" && kind !== "notices"))(
    "that roll back a new version of $name count only that version's failures",
    ({ name, kind }) => {
      const { Metrics = [], ...single } = alarms[`${name}-failing`] ?? {};
      const named = Metrics.flatMap(({ Id, MetricStat }) =>
        MetricStat && Id !== "calls" && Id !== "dropped" ? [MetricStat.Metric] : [],
      );
      const failures = Metrics.length > 0 ? named : [metricShape.parse(single)];
      const versions = failures.map(({ Dimensions }) =>
        Dimensions.flatMap(({ Name, Value }) => (/Version/.test(Name) ? [JSON.stringify(Value)] : [])),
      );
      const version = `\\{"Fn::GetAtt":\\["${name.replaceAll("-", "")}CurrentVersion\\w+","Version"\\]\\}`;

      expect(versions).toEqual(failures.map(() => [expect.stringMatching(version)]));
      expect(failures.map(({ MetricName }) => MetricName)).toEqual([
        ...(kind === "usage" ? [] : ["VersionFailures"]),
        ...(kind === "admin" ? [] : ["Errors"]),
      ]);
    },
  );

  test("say what happened, what to do first and where to read more, even without the service", async () => {
    const runbook = await readFile(new URL("../../docs/runbook.md", import.meta.url), "utf8");
    const headings = [...runbook.matchAll(/^### (.+)$/gm)].map(
      ([, heading = ""]) => `docs/runbook.md#${anchorOf(heading)}`,
    );
    for (const { AlarmDescription } of Object.values(alarms)) {
      const [, place] = /^[A-Z].+\. [A-Z].+\. More: (\S+)$/.exec(AlarmDescription) ?? [];
      expect(headings).toContain(place);
    }

    const { propertiesOf } = await readTemplate(await synthesiseTemplates(everyOption));
    for (const { AlarmDescription } of propertiesOf("AWS::CloudWatch::Alarm")) {
      expect(AlarmDescription).toMatch(`More: ${everyOption.runbookUrl}#`);
    }
  });

  test("name only existing saved queries", () => {
    const queries = template.propertiesOf("AWS::Logs::QueryDefinition").map(({ Name }) => Name);
    for (const { AlarmDescription } of Object.values(alarms)) {
      const [, name] = /saved query ([A-Z].*?)(?:\.|,| for )/.exec(AlarmDescription) ?? [];
      if (name !== undefined) expect(queries).toContain(`IntegrationApi-prod/${name}`);
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
});

test("the topic accepts alarms of this account from CloudWatch", () => {
  const policies = Object.entries(template.ofType("AWS::SNS::TopicPolicy"));
  const [, policy] = policies.find(([id]) => id.startsWith("Monitoring")) ?? [];
  const text = JSON.stringify(policy?.Properties.PolicyDocument);

  expect(text).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
});

test("emails alarms and notices to the operator's addresses", async () => {
  const named = await readTemplate(await synthesiseTemplates(everyOption));

  const mailed = named.propertiesOf("AWS::SNS::Subscription").map(({ Endpoint }) => Endpoint);
  expect(mailed.toSorted()).toEqual(["notices@example.com", "ops@example.com"]);
});
