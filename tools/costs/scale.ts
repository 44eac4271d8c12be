import { readFile } from "node:fs/promises";
import { stages } from "../../infra/stages/stage.ts";
import { type Call, callsOf, keySizes, keysOfPage, type Measured } from "./calls.ts";
import { prices } from "./prices.ts";
import type { Stacks } from "./stacks.ts";

/*
 * The tables of docs/scale.md, which also explains the assumptions.
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
/** The calls of the busiest second, relative to the average second of a month. */
const peak = 10;
/** What DynamoDB adds to an item for storage, and how many copies of a table the daily backups are, in each of two regions. */
const [storageOverheadBytes, keptBackups] = [100, 35];

const gigabyte = 1024 ** 3;
const secondsOfMonth = 30 * 24 * 60 * 60;
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

/**
 * The limits that calls run into: how much an average call takes of each, the limit in a second, and what to do when it is near.
 * Quotas of AWS are those that an account has by default, which AWS raises on request, except for those of one item and one
 * partition.
 */
const limitsOf = (calls: readonly Call[], stacks: Stacks): [string, number, number, string][] => [
  [
    "Throttle of each endpoint, in calls",
    1 / calls.length,
    stages.prod.throttles.endpoint.requestsPerSecond,
    "raise `throttles.endpoint` in `infra/stages/stage.ts`, which only serves to limit the bill",
  ],
  [
    "The account's Lambda concurrency, in environments",
    millisecondsOf(calls, stacks) / 1000,
    1_000 - Object.values(stages.prod.concurrencyCaps).reduce((sum, cap) => sum + cap, 0),
    "request an increase of the service quota L-B99A9384",
  ],
  [
    "The account's calls of API Gateway",
    1,
    10_000,
    "request an increase of the service quota, or give each group of clients its own account",
  ],
  [
    "Hot token: one token makes all calls, each of which reads it",
    1,
    3_000,
    "give each of the client's systems its own token",
  ],
  [
    "Hot key: all writes are to one key, and to its entry in the index of changes",
    averageOf(calls, ({ indexWrites }) => indexWrites),
    1_000,
    "no setting helps; the client must write the key less often",
  ],
  [
    "Writes to a new table, before it has split",
    averageOf(calls, ({ writes }) => writes),
    4_000,
    "set warm throughput on the table before the load arrives",
  ],
  [
    "Reads of a table, the account's quota",
    averageOf(calls, ({ reads }) => reads),
    40_000,
    "request an increase of the service quota; ask clients to use smaller pages",
  ],
];

const dollars = (amount: number): string => {
  const digits = amount < 100 ? 2 : 0;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
};
const whole = (amount: number): string => Math.round(amount).toLocaleString("en-US");
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: string, rows: readonly string[][]): string => {
  const titles = head.split(", ");
  return [row(titles), row(titles.map(() => "---")), ...rows.map(row)].join("\n");
};

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

  const limits = limitsOf(ordinary, stacks)
    .map(([name, need, limit, remedy]) => ({ name, limit, remedy, calls: ((limit / need) * secondsOfMonth) / peak }))
    .toSorted((one, other) => one.calls - other.calls)
    .map(({ name, limit, remedy, calls: most }) => [name, whole(limit), `${whole(most / 1e6)} million`, remedy]);

  const { Alarms, Metrics, Dashboard } = month(0).fixed;
  const gigabytesOf = (bytes: number) => (1e6 * (bytes + storageOverheadBytes)) / gigabyte;
  const [inTable, inIndex] = [gigabytesOf(keySizes.inTable), gigabytesOf(keySizes.inIndex)];
  const backups = inTable * (2 * keptBackups * prices.month.backupGigabyte + 30 * prices.copiedGigabyte);
  const reads = (1e6 * keySizes.inTable) / 4096;
  const throttled = endpoints.length * stages.prod.throttles.endpoint.requestsPerSecond;
  const room = Math.floor((500 - stacks.resources) / stacks.resourcesOfEndpoint);
  const figures = [
    [`A month of ${stacks.alarmMetrics} metrics for alarms`, dollars(Alarms)],
    [`A month of ${stacks.customMetrics} metrics from logs, at most`, dollars(Metrics)],
    ["A month of the dashboard", dollars(Dashboard)],
    [
      "A month of a million keys, with point-in-time recovery",
      dollars((inTable + inIndex) * prices.month.tableGigabyte),
    ],
    [`A month of their daily backups in two regions, each kept for ${keptBackups} days`, dollars(backups)],
    ["A month of all calls that the throttles let through", dollars(totalOf(month(throttled * secondsOfMonth).calls))],
    ["Copying a million keys into another table", dollars(2e6 * prices.write + reads * prices.read)],
    ["Listing a million keys", `${whole(reads)} reads, ${dollars(reads * prices.read)}`],
    ["A million cold starts", dollars(1e6 * billOfTime(coldStartMilliseconds, stacks))],
    ["Counting a million calls of tokens that have a limit", dollars(1e6 * prices.write)],
    ["Bytes of a key in its table, and in the index of changes", `${keySizes.inTable}, ${keySizes.inIndex}`],
    [`Reads for a page of ${keysOfPage} keys`, whole(Math.ceil((keysOfPage * keySizes.inTable) / 4096))],
    ["Resources in the API's stack, of 500", `${stacks.resources}; there is room for ${room} more endpoints`],
    ["Machine of the measurement", measured.machine],
  ];

  return {
    calls: table("1 M calls of, API Gateway, Lambda, DynamoDB, Logs, Transfer, Total, Largest part", calls),
    months: table("Calls per month, Calls, Cold starts, Counting, Fixed, Total at most, Largest part", byMonth),
    limits: table("Limit, Per second, Reached at calls per month, What to do", limits),
    figures: table("Figure, Value", figures),
  };
};

export const scaleFile = new URL("../../docs/scale.md", import.meta.url);

/** The document with its tables replaced. */
export const scaleDocument = async (measured: Measured, stacks: Stacks): Promise<string> => {
  let text = await readFile(scaleFile, "utf8");
  for (const [name, rows] of Object.entries(scaleTables(measured, stacks))) {
    const [before, rest = ""] = text.split(`<!-- ${name} -->\n`);
    const end = rest.indexOf("<!-- end -->");
    if (end < 0)
      throw new Error(`docs/scale.md needs a place for a table: <!-- ${name} -->, and below it <!-- end -->.`);
    text = `${before}<!-- ${name} -->\n\n${rows}\n\n${rest.slice(end)}`;
  }
  return text;
};
