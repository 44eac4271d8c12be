import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { concurrencyCaps, stageNames, stages } from "../../infra/stages/stage.ts";
import { api } from "../../lambdas/api.ts";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import { synthesiseTemplates } from "../support/stages.ts";
import { constructIdOf, readTemplate, type Template } from "../support/template.ts";

/*
 * The documents and the templates both define what alarms measure, which resources functions have and how stages differ. If
 * only one of the two changes, a test shows what the other must contain.
 */

const read = (name: string) => readFile(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

let template: Template;
let runbook: string;
let guide: string;
beforeAll(async () => {
  template = await readTemplate();
  [runbook, guide] = [await read("runbook"), await read("deploy")];
});

const endpoints = functionsOf(api).flatMap(({ name, kind }) => (kind === "endpoint" ? [name] : []));

/** The name of a function or an alarm, with `…` for an endpoint, a table or an index, and without the stack of a version check. */
const general = (name: string): string =>
  [...endpoints, ...storeNames.map((store) => `${store}-table`)].reduce(
    (text, one) => (text.startsWith(one) ? text.replace(one, one.endsWith("-table") ? "…-table" : "endpoint …") : text),
    name.replace(/^v\d+-.+-(?=version-check$)/, "").replace(/^\w+-\w+(?=-index-)/, "…"),
  );

/** Merges rows with the same content into one with all their names. */
const merged = (rows: [name: string, text: string][]): string[] =>
  [...Map.groupBy(rows, ([, text]) => text)].map(
    ([text, same]) => `| ${[...new Set(same.map(([name]) => `\`${name}\``))].join(", ")} | ${text} |`,
  );

/** Returns the rows of the table with this header. */
const rowsBelow = (document: string, header: string): string[] => {
  const [, table = ""] = document.split(`\n${header}\n`);
  return table.split("\n\n")[0]?.split("\n").slice(1) ?? [];
};

const statistic = { MetricName: z.string(), Period: z.number(), Statistic: z.string() };
const alarmShape = z.object({
  AlarmName: z.string(),
  ComparisonOperator: z.string(),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number(),
  ...z.partial(z.object({ ...statistic, ExtendedStatistic: z.string() })).shape,
  Metrics: z._default(
    z.array(
      z.object({
        Id: z.string(),
        Expression: z.optional(z.string()),
        Period: z.optional(z.number()),
        MetricStat: z.optional(
          z.object({ Metric: z.object({ MetricName: z.string() }), Period: z.number(), Stat: z.string() }),
        ),
      }),
    ),
    [],
  ),
});

const comparisons: Readonly<Record<string, string>> = {
  GreaterThanOrEqualToThreshold: "≥",
  LessThanThreshold: "<",
};

/** Shortens `SUM([FILL(m0, 0), FILL(m1, 0)])` to `SUM(m)`, because the number of parts follows from the declarations. */
const shortened = (expression: string): string =>
  expression.replace(/^SUM\(\[(?:FILL\(m\d+, 0\)(?:, )?)+\]\)$/, "SUM(m)").replaceAll(/FILL\((\w+), 0\)/g, "$1");

const rowOf = (properties: unknown): [string, string] => {
  const { Metrics, ...alarm } = alarmShape.parse(properties);
  const formulas = Metrics.flatMap(({ Id, Expression }, index) =>
    Expression ? [`${index > 0 ? `${Id} = ` : ""}${shortened(Expression)}`] : [],
  );
  const measured = Metrics.flatMap(({ Id, MetricStat: of }) =>
    of ? [`${Id.replace(/\d+$/, "")} = ${of.Metric.MetricName} ${of.Stat}`] : [],
  );
  const seconds = new Set([alarm.Period, ...Metrics.map(({ MetricStat }) => MetricStat?.Period)].filter(Boolean));
  const what = [`${alarm.MetricName} ${alarm.Statistic ?? alarm.ExtendedStatistic}`];
  return [
    general(alarm.AlarmName.replace("IntegrationApi-prod-", "")),
    [
      [...new Set(Metrics.length > 0 ? [...formulas, ...measured] : what)].map((part) => `\`${part}\``).join(", "),
      `${comparisons[alarm.ComparisonOperator]} ${alarm.Threshold}`,
      `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods} × ${[...seconds].map((one) => Number(one) / 60)} min`,
    ].join(" | "),
  ];
};

test("the runbook says what each alarm measures and when it fires", async () => {
  const { propertiesOf } = await readTemplate(await synthesiseTemplates({ stage: "prod", monitoring: "full" }));
  const alarms = propertiesOf("AWS::CloudWatch::Alarm").map(rowOf);

  expect(rowsBelow(runbook, "| Alarm | Measures | Fires at | In |")).toEqual(merged(alarms));
});

test("the runbook gives the memory and timeout of each function", () => {
  const rows = Object.values(template.ofType("AWS::Lambda::Function")).map((resource): [string, string] => {
    const { MemorySize, Timeout } = resource.Properties;
    const { LogFormat, SystemLogLevel } = z
      .object({ LogFormat: z.string(), SystemLogLevel: z.string() })
      .parse(resource.Properties.LoggingConfig);
    return [general(constructIdOf(resource)), `${MemorySize} MB | ${Timeout} s | ${LogFormat}, from ${SystemLogLevel}`];
  });

  expect(rowsBelow(runbook, "| Function | Memory | Time-out | Lambda's own lines |")).toEqual(merged(rows));
});

const settingsShape = z.object({
  UserPool: z.object({ MinimumLength: z.number(), TemporaryPasswordValidityDays: z.number() }),
  Client: z.object({ AccessTokenValidity: z.literal(60), PreventUserExistenceErrors: z.literal("ENABLED") }),
  Schedule: z.object({
    ScheduleExpression: z.string(),
    Target: z.object({
      RetryPolicy: z.object({ MaximumEventAgeInSeconds: z.number(), MaximumRetryAttempts: z.number() }),
    }),
  }),
});

test("the guides give the settings for admins and for the schedule", async () => {
  const [pool, client, schedule] = ["Cognito::UserPool", "Cognito::UserPoolClient", "Scheduler::Schedule"].map(
    (type) => template.propertiesOf(`AWS::${type}`)[0],
  );
  const { PasswordPolicy } = z.object({ PasswordPolicy: z.unknown() }).parse(pool?.Policies);
  const { UserPool, Schedule } = settingsShape.parse({ UserPool: PasswordPolicy, Client: client, Schedule: schedule });
  const [, minute, hour] = /^cron\((\d+) (\d+) \* \* \? \*\)$/.exec(Schedule.ScheduleExpression) ?? [];
  const { MaximumEventAgeInSeconds: seconds, MaximumRetryAttempts: attempts } = Schedule.Target.RetryPolicy;

  const said: [string, string][] = [
    ["admin", `at least ${UserPool.MinimumLength} characters`],
    ["admin", `temporary password is valid for ${UserPool.TemporaryPasswordValidityDays} days`],
    ["admin", "A session lasts one hour."],
    ["notices", `Once a day, at ${hour}:${minute?.padStart(2, "0")} UTC`],
    ["notices", `up to ${attempts} times within ${seconds / 3600} hours`],
  ];
  for (const [name, text] of said) expect((await read(name)).replaceAll(/\s+/g, " "), name).toContain(text);
});

test("the deployment guide explains how stages differ", () => {
  const cells = stageNames.map((name) => {
    const { requestLogDays, adminLogDays, throttles } = stages[name];
    const days = [...new Set([requestLogDays, adminLogDays])].map((count) => `${count} days`);
    return {
      days: days.join(", "),
      calls: `${throttles.endpoint.requestsPerSecond}, ${throttles.fallback.requestsPerSecond}`,
    };
  });
  const row = (title: string, of: (cell: (typeof cells)[number]) => string) =>
    `| ${title} | ${cells.map(of).join(" | ")} |`;

  expect(guide).toContain(row("Retention of the request log and the admin log", ({ days }) => days));
  const reserved = Object.values(concurrencyCaps).reduce((sum, cap) => sum + cap, 0);
  expect(guide).toContain(`It needs a limit of at least ${100 + reserved}, and ${reserved} more for each further`);
  expect(guide).toContain(row("Calls per second: each route, all paths without a route", ({ calls }) => calls));
});

test("the deployment guide says when the canary's alarm fires", () => {
  const alarms = template.propertiesOf("AWS::CloudWatch::Alarm");
  const alarm = alarms.find(({ AlarmName }) => String(AlarmName).endsWith("v1-get-key-failing"));
  expect(alarm).toMatchObject({ Threshold: 3, EvaluationPeriods: 5, DatapointsToAlarm: 2 });
  expect(JSON.stringify(alarm?.Metrics)).toContain("failures >= 2, 100 * failures / calls");

  // The new version gets a tenth of the calls. That the alarm fires is likely with 20 calls a minute, and almost certain with 40.
  const text = guide.replaceAll("\n", " ");
  expect(text).toContain("two failures in a minute, in two of five minutes, and at least 3 % of all calls must fail");
  expect(text).toContain("only if at least 30 % of its calls fail");
  expect(text).toMatch(/certainly with 40 calls a minute .* in nine of ten cases with 20 .* fewer than half with 10/);
});

test("the runbook mentions every saved query", async () => {
  const queries = await readFile(new URL("../../infra/monitoring/queries.ts", import.meta.url), "utf8");
  for (const [, name] of queries.matchAll(/query\("(.+?)"/g)) expect(runbook.replaceAll("\n", " ")).toContain(name);
});
