import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { synthesiseTemplates } from "../support/stages.ts";
import { readTemplate } from "../support/template.ts";

/* Recomputes what docs/scale.md derives from the templates, from its prices and from its own tables. */

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), "utf8");

let scale: string;
beforeAll(async () => {
  scale = await read("docs/scale.md");
});

const dollars = (text = ""): number => Number(text.replaceAll(/[$,]/g, ""));
const written = (amount: number): string => `$${amount.toFixed(2)}`;

/** Returns a table's cells by the first cell of each row. */
const tableBelow = (header: string): Map<string, string[]> => {
  const [, table = ""] = scale.split(`\n${header}\n`);
  const [rows = ""] = table.split("\n\n");
  return new Map(
    rows
      .split("\n")
      .slice(1)
      .map((row) => row.split("|").slice(1, -1))
      .map(([name = "", ...cells]) => [name.trim(), cells.map((cell) => cell.trim())]),
  );
};

const monthlyCosts = () => tableBelow("| Calls per month | Calls | Cold starts | Counting | Fixed | Total at most |");
const costsOfCalls = () => tableBelow("| 1 M calls of | API Gateway | Lambda | DynamoDB | Logs | Transfer | Total |");

const alarmShape = z.object({
  Metrics: z._default(z.array(z.object({ MetricStat: z.optional(z.unknown()) })), [{ MetricStat: {} }]),
});
const filterShape = z.object({
  MetricTransformations: z.array(z.object({ MetricName: z.string(), Dimensions: z.optional(z.array(z.unknown())) })),
});

/** Returns the price that the document states for something. */
const priceOf = (what: string): number => dollars(new RegExp(`\\$([\\d.]+) for ${what}`).exec(scale)?.[1]);

/** Returns the monthly cost of monitoring at the document's prices. */
const monitoringCosts = async (assembly?: string) => {
  const { propertiesOf } = await readTemplate(assembly);
  const alarms = propertiesOf("AWS::CloudWatch::Alarm");
  const metrics = alarms.flatMap((alarm) => alarmShape.parse(alarm).Metrics.filter(({ MetricStat }) => MetricStat));
  const filters = propertiesOf("AWS::Logs::MetricFilter").flatMap(
    (filter) => filterShape.parse(filter).MetricTransformations,
  );
  // Several filters may count into one metric. A per-version metric exists at most once for each alarm.
  const byName = new Map(filters.map(({ MetricName, Dimensions = [] }) => [MetricName, Dimensions.length > 0]));
  const fromLogs = [...byName].flatMap(([name, isByVersion]) =>
    isByVersion ? JSON.stringify(alarms).split(`"MetricName":"${name}"`).slice(1) : [name],
  );
  return {
    alarms: alarms.length,
    ofAlarms: metrics.length * priceOf("a metric of an\\s+alarm"),
    fromLogs: fromLogs.length * priceOf("a metric from logs"),
    dashboard: propertiesOf("AWS::CloudWatch::Dashboard").length * priceOf("the dashboard"),
  };
};

describe("the costs in docs/scale.md", () => {
  test.each([
    ["`dev`", { stage: "dev" }],
    ["`prod`, `staging`", { stage: "prod" }],
    ["`prod`, `staging` with `monitoring=full`", { stage: "prod", monitoring: "full" }],
  ])("include the monitoring of %s as defined in its template", async (name, options) => {
    const { alarms, ofAlarms, fromLogs, dashboard } = await monitoringCosts(await synthesiseTemplates(options));
    const total = ofAlarms + fromLogs + dashboard;

    expect(
      tableBelow("| Stage | Alarms | Their metrics | Metrics from logs, at most | Dashboard | At most |").get(name),
    ).toEqual([`${alarms}`, ...[ofAlarms, fromLogs, dashboard, total].map(written)]);
  });

  test("match the README and docs/deploy.md, and are included as fixed costs of each month", async () => {
    const { ofAlarms, fromLogs } = await monitoringCosts();

    expect(monthlyCosts().size).toBeGreaterThan(3);
    for (const [, , , fixed] of monthlyCosts().values()) expect(fixed).toBe(written(ofAlarms + fromLogs));
    expect(await read("README.md")).toContain(`\`prod\` costs ${written(ofAlarms)} a month without traffic`);
    expect(await read("docs/deploy.md")).toContain(`cost [${written(ofAlarms)} a month]`);
    expect(await read("docs/deploy.md")).toContain(`up to ${written(ofAlarms + fromLogs)} while`);
  });

  test("add up to the stated totals", () => {
    for (const [name, cells] of [...costsOfCalls(), ...monthlyCosts()]) {
      const amounts = cells.map(dollars);
      const total = amounts.pop() ?? 0;
      // Amounts are rounded, and large ones to whole dollars.
      const rounding = total > 100 ? 2 : 0.03;
      expect(Math.abs(amounts.reduce((sum, amount) => sum + amount) - total), name).toBeLessThan(rounding);
    }
  });

  test("are listed for every endpoint", async () => {
    const { propertiesOf } = await readTemplate();
    const names = propertiesOf("AWS::CloudWatch::Alarm").flatMap(
      ({ AlarmName }) => /-(v1-.*)-failing$/.exec(String(AlarmName))?.[1] ?? [],
    );

    expect(names.length).toBeGreaterThan(9);
    for (const name of names) expect([...costsOfCalls().keys()]).toContain(`\`${name}\``);
  });
});
