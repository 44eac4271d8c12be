import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { markdownTable, replaceBlock } from "../support/markdown.ts";
import { type Call, callsOf, type Measured } from "./calls.ts";
import { prices } from "./prices.ts";

/*
 * The computed tables of docs/scale.md, which also explains the assumptions.
 */

const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z._default(z.record(z.string(), z.unknown()), {}),
    }),
  ),
});
const alarmShape = z.object({ Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.unknown()) }))) });
const filterShape = z.object({
  MetricTransformations: z.array(z.object({ MetricName: z.string(), Dimensions: z.optional(z.array(z.unknown())) })),
});

/** What determines costs in the templates of an assembly. */
export const readStacks = async (assemblyDirectory: string) => {
  const files = (await readdir(assemblyDirectory)).filter((file) => file.endsWith(".template.json"));
  const stacks = await Promise.all(
    files.map(async (file) => templateShape.parse(JSON.parse(await readFile(join(assemblyDirectory, file), "utf8")))),
  );
  const resources = stacks.flatMap(({ Resources }) => Object.values(Resources));
  const propertiesOf = (type: string) =>
    resources.filter(({ Type }) => Type === `AWS::${type}`).map(({ Properties }) => Properties);
  const alarms = propertiesOf("CloudWatch::Alarm");
  const transformations = propertiesOf("Logs::MetricFilter").flatMap(
    (properties) => filterShape.parse(properties).MetricTransformations,
  );
  // Several filters may count into one metric. A metric by version exists once for each alarm at most.
  const metrics = new Map(transformations.map(({ MetricName, Dimensions = [] }) => [MetricName, Dimensions.length]));
  const alarmTexts = JSON.stringify(alarms);
  const metricsOf = ([name, dimensions]: [string, number]): number =>
    dimensions > 0 ? alarmTexts.split(`"MetricName":"${name}"`).length - 1 : 1;
  return {
    memoryGigabytes: Number(propertiesOf("Lambda::Function")[0]?.MemorySize) / 1024,
    alarmMetrics: alarms
      .map((alarm) => alarmShape.parse(alarm).Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1)
      .reduce((sum, count) => sum + count, 0),
    customMetrics: [...metrics].map(metricsOf).reduce((sum, count) => sum + count, 0),
    dashboards: propertiesOf("CloudWatch::Dashboard").length,
  };
};

export type Stacks = Awaited<ReturnType<typeof readStacks>>;

/** A function with this much memory has a whole processor; one with less memory has a corresponding share. */
const gigabytesOfOneProcessor = 1.769;
/** A line of the access log with values of usual length, and what CloudWatch Logs adds to it and to the function's line. */
const accessLogBytes = 378 + 2 * 26;
/** The most write units that a delivery of log lines takes for a token, in an hour that already contains much. */
const writesOfDelivery = 5;
/** To start an environment: Node.js 24 itself (maxday/lambda-perf, August 2026), and a bundle (docs/performance.md). */
const coldStartMilliseconds = 114 + 24;
const coldShare = 0.01;

const gigabyte = 1024 ** 3;
const months = [1e4, 1e6, 1e8, 1e10];

/** Dollars by item. */
export type Bill = Readonly<Record<string, number>>;

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, cost) => sum + cost, 0);

const dominantOf = (bill: Bill): string => Object.entries(bill).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";

const averageOf = (calls: readonly Call[], of: (call: Call) => number): number =>
  calls.reduce((sum, call) => sum + of(call), 0) / calls.length;

/** The calls that API Gateway counts: a response of more than 512 KB is several calls. */
export const meteredCalls = (bytes: number): number => Math.max(1, Math.ceil(bytes / (512 * 1024)));

/** The price of the time that a function takes. */
const billOfTime = (milliseconds: number, { memoryGigabytes }: Stacks): number =>
  (milliseconds / 1000) * memoryGigabytes * prices.lambdaGigabyteSecond;

/** How long calls take in functions, on average. */
const millisecondsOf = (calls: readonly Call[], { memoryGigabytes }: Stacks): number =>
  averageOf(calls, ({ milliseconds }) => milliseconds) * (gigabytesOfOneProcessor / memoryGigabytes);

/** The price of a number of calls, divided equally between the given calls. */
export const billOfCalls = (count: number, calls: readonly Call[], stacks: Stacks): Bill => {
  const all = (of: (call: Call) => number) => count * averageOf(calls, of);
  return {
    "API Gateway": prices.httpApiCalls(all(({ answerBytes }) => meteredCalls(answerBytes))),
    Lambda: count * (prices.lambdaCall + billOfTime(millisecondsOf(calls, stacks), stacks)),
    DynamoDB: all((call) => call.reads * prices.read + (call.writes + call.indexWrites) * prices.write),
    Logs: all(({ logBytes }) => (logBytes + accessLogBytes) / gigabyte) * prices.logGigabyte,
    Transfer: prices.transferGigabytes(all(({ answerBytes }) => answerBytes / gigabyte)),
  };
};

/** The price of a month with a number of calls, at most. */
export const billOfMonth = (count: number, calls: readonly Call[], stacks: Stacks) => {
  // Each delivery of log lines invokes a function, which takes as long as a call that writes.
  const writers = calls.filter(({ writes }) => writes > 0);
  const delivery = prices.lambdaCall + billOfTime(millisecondsOf(writers, stacks), stacks);
  return {
    calls: billOfCalls(count, calls, stacks),
    starts: { "Cold starts": count * coldShare * billOfTime(coldStartMilliseconds, stacks) },
    counting: { Counting: count * (delivery + writesOfDelivery * prices.write) },
    fixed: {
      Alarms: stacks.alarmMetrics * prices.month.alarmMetric,
      Metrics: stacks.customMetrics * prices.month.customMetric,
      Dashboard: stacks.dashboards * prices.month.dashboard,
    },
  };
};

const dollars = (amount: number): string => {
  const digits = amount < 100 ? 2 : 0;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
};
const whole = (amount: number): string => Math.round(amount).toLocaleString("en-US");
const table = (head: string, rows: readonly string[][]): string => markdownTable(head.split(", "), rows);

/** The tables by name. */
export const scaleTables = (measured: Measured, stacks: Stacks): Record<string, string> => {
  const endpoints = callsOf(measured);
  const ordinary = endpoints.filter(({ isOrdinary }) => isOrdinary);
  const month = (count: number) => billOfMonth(count, ordinary, stacks);
  const variants = measured.variants.flatMap(({ endpoint, header, ...found }) => {
    const plain = endpoints.filter(({ name }) => name === endpoint);
    return plain.map((call): Call => ({ ...call, ...found, name: `${endpoint}, ${header}` }));
  });

  const calls = [...endpoints, ...variants].map((call) => {
    const bill = billOfCalls(1e6, [call], stacks);
    return [`\`${call.name}\``, ...[...Object.values(bill), totalOf(bill)].map(dollars), dominantOf(bill)];
  });

  const byMonth = months.map((count) => {
    const parts = Object.values(month(count));
    const together: Bill = Object.assign({}, ...parts);
    return [whole(count), ...[...parts, together].map((part) => dollars(totalOf(part))), dominantOf(together)];
  });

  return {
    calls: table("1 M calls of, API Gateway, Lambda, DynamoDB, Logs, Transfer, Total, Largest part", calls),
    months: table("Calls per month, Calls, Cold starts, Counting, Fixed, Total at most, Largest part", byMonth),
  };
};

/** The document with its tables replaced. */
export const scaleDocument = async (measured: Measured, stacks: Stacks): Promise<string> => {
  const text = await readFile(new URL("../../docs/scale.md", import.meta.url), "utf8");
  const tables = Object.entries(scaleTables(measured, stacks));
  return tables.reduce((document, [name, rows]) => replaceBlock(document, name, rows), text);
};
