import { readFile } from "node:fs/promises";
import { markdownTable, replaceBlock } from "../support/markdown.ts";
import { type Call, callsOf, type Measured } from "./calls.ts";
import { prices } from "./prices.ts";
import type { Stacks } from "./stacks.ts";

/*
 * The computed tables of docs/scale.md, which also explains the assumptions.
 */

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
