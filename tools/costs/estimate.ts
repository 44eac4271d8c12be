import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { formatEntry } from "../../lambdas/resources/history/change-entry.ts";
import { rightsOf, storeNames, tables } from "../../lambdas/resources/stores.ts";
import { mergeUses, tokenCheck, type Uses } from "../../lambdas/resources/uses.ts";
import type { Measured } from "./measured.ts";
import { prices } from "./prices.ts";
import type { TemplateFigures } from "./template-figures.ts";

/** The size of an item whose values are texts, as DynamoDB counts it for reads and writes: names and values. */
const itemBytes = (record: object): number =>
  Object.entries(record).reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}${value}`), 0);

const { key_id, created_at, updated_at } = tables.keys.example;

/** What the history adds to an item after one change. */
const historyBytes = itemBytes({
  change_shard: "0",
  history: formatEntry(created_at, {
    kind: "created",
    author: {
      by: `token:${tables.tokens.example.token_id}`,
      from: tables.tokens.example.ip,
      requestId: "JKJaXmPLvHcESHA=",
    },
  }),
});

/** What cannot be measured here. Each stands in the document. */
export const assumptions = {
  /** A function of this much memory has a whole processor; one of less, its share. */
  gigabytesOfOneProcessor: 1.769,
  /** What CloudWatch Logs counts for each line besides its bytes. */
  logOverheadBytes: 26,
  /** A key in its table that has not been changed since its creation, and how many keys a list has. */
  keyBytes: itemBytes(tables.keys.example) + historyBytes,
  historyBytes,
  /** The same key in the index of changes. */
  indexBytes: itemBytes({ key_id, updated_at }) + historyBytes,
  keysOfPage: 100,
  /** What DynamoDB adds to each item for storage, but not for reads and writes. */
  storageOverheadBytes: 100,
  /** What a delivery of log lines writes for a token at most, in an hour that contains much already. */
  writesOfDelivery: 5,
  /**
   * How long Lambda takes, and bills, to start an environment: Node.js 24 itself (maxday/lambda-perf, August 2026), and loading
   * a bundle (docs/performance.md).
   */
  coldStartMilliseconds: 114 + 24,
  /** The share of calls that start an environment, where there are many calls. */
  coldShare: 0.01,
  /** How many copies a daily backup that is kept for 35 days has in each of two regions. */
  keptBackups: 35,
  /** The dashboard shows the last twelve hours: this part of a month. */
  shownPart: 0.5 / 30,
  /** The busiest second of a month, against its average. */
  peak: 10,
};

/** What one call takes, in the units that are paid for. */
export interface CallUnits {
  name: string;
  /** Whether the call is part of a client's everyday work, and does not change the client's own token. */
  isOrdinary: boolean;
  gigabyteSeconds: number;
  milliseconds: number;
  reads: number;
  writes: number;
  /** Of the index of changes. */
  indexWrites: number;
  logGigabytes: number;
  transferGigabytes: number;
  /** What API Gateway counts: a response of more than 512 KB is several calls. */
  meteredCalls: number;
}

const gigabyte = 1024 ** 3;

/** What every call does with its token. A limit is counted for those tokens alone that have one. */
const { limits: _, ...everyTokenCheck } = tokenCheck;

/** What a call of each endpoint takes. */
export const callUnits = (measured: Measured, figures: TemplateFigures): CallUnits[] =>
  operationsOf(api).map(({ functionName: name, endpoint }) => {
    const found = measured.endpoints[name];
    if (!found) throw new Error(`${name} was not measured: run npm run measure.`);
    const isOrdinary = endpoint.credential === undefined;
    const units = databaseUnits(mergeUses<Uses, Uses>(usualUses(endpoint.uses), everyTokenCheck));
    return { name, isOrdinary, ...units, ...unitsOfCall(found, figures) };
  });

/**
 * A call that gets a new token. It costs more if another change comes first, and less until its address is confirmed.
 */
const usualUses = ({ tokens: operations = [], ...others }: Uses): Uses => {
  const unusual = operations.includes("insert") ? ["settle", "revoke", "request"] : ["request"];
  return { ...others, tokens: operations.filter((operation) => !unusual.includes(operation)) };
};

/** What a call takes with a header that saves something: the same work in the database. */
export const variantUnits = (measured: Measured, figures: TemplateFigures): (CallUnits & { header: string })[] => {
  const plain = callUnits(measured, figures);
  return measured.variants.flatMap(({ endpoint, header, ...found }) => {
    const unit = plain.find(({ name }) => name === endpoint);
    return unit ? { ...unit, ...unitsOfCall(found, figures), header } : [];
  });
};

export const meteredCalls = (bytes: number): number => Math.max(1, Math.ceil(bytes / (512 * 1024)));

const unitsOfCall = (found: Measured["endpoints"][string], figures: TemplateFigures) => {
  const milliseconds = (found.milliseconds * assumptions.gigabytesOfOneProcessor) / figures.memoryGigabytes;
  const logBytes = found.logBytes + figures.accessLogBytes + 2 * assumptions.logOverheadBytes;
  return {
    milliseconds,
    gigabyteSeconds: (milliseconds / 1000) * figures.memoryGigabytes,
    logGigabytes: logBytes / gigabyte,
    transferGigabytes: found.answerBytes / gigabyte,
    meteredCalls: meteredCalls(found.answerBytes),
  };
};

/** Items are smaller than the units: one for each action, but for a page, which reads all of its items. */
const databaseUnits = (uses: Uses): Pick<CallUnits, "reads" | "writes" | "indexWrites"> => {
  const actions = storeNames.flatMap((store) => rightsOf(store, uses[store] ?? []));
  const readsOf: Readonly<Record<string, number>> = {
    GetItem: 1,
    Query: 1,
    Scan: Math.ceil((assumptions.keysOfPage * assumptions.keyBytes) / 4096),
  };
  const sum = (unitsOf: (action: string) => number) =>
    // A permission for some attributes only is for occasional writes, not for those of each call.
    actions.filter((action) => typeof action === "string").reduce((total, action) => total + unitsOf(action), 0);
  return {
    reads: sum((action) => readsOf[action] ?? 0),
    writes: sum((action) => (action in readsOf ? 0 : 1)),
    indexWrites: indexWritesOf(uses),
  };
};

/** The operations that make a record. All other changes move it in the index of changes: one entry goes, and one comes. */
const making: readonly string[] = ["create", "insert"];

/** What the index of changes takes. */
const indexWritesOf = (uses: Uses): number =>
  storeNames
    .filter((store) => "hasHistory" in tables[store])
    .flatMap((store) => (uses[store] ?? []).map((operation) => ({ store, operation: String(operation) })))
    .filter(({ store, operation }) => rightsOf(store, [operation]).includes("UpdateItem"))
    .reduce((sum, { operation }) => sum + (making.includes(operation) ? 1 : 2), 0);

/** Dollars by item. */
export type Bill = Readonly<Record<string, number>>;

/** The price of a number of calls, divided equally between the given calls. */
export const billOfCalls = (calls: number, units: CallUnits[]): Bill => {
  const average = (of: (unit: CallUnits) => number) => units.reduce((sum, unit) => sum + of(unit), 0) / units.length;
  const of = (unit: (unit: CallUnits) => number) => calls * average(unit);
  return {
    "API Gateway": prices.httpApiCall(of(({ meteredCalls }) => meteredCalls)),
    Lambda: prices.lambdaCall(calls) + prices.lambdaGigabyteSecond(of(({ gigabyteSeconds }) => gigabyteSeconds)),
    DynamoDB:
      prices.dynamodbRead(of(({ reads }) => reads)) +
      prices.dynamodbWrite(of(({ writes, indexWrites }) => writes + indexWrites)),
    Logs: prices.logGigabyte(of(({ logGigabytes }) => logGigabytes)),
    Transfer: prices.transferGigabyte(of(({ transferGigabytes }) => transferGigabytes)),
  };
};

/**
 * The price of counting the use of tokens: each delivery of log lines invokes a function, which takes as long as a call that
 * writes, and writes one item for each token in the delivery.
 */
export const billOfCounting = (
  deliveries: number,
  units: CallUnits[],
  writesOfDelivery = assumptions.writesOfDelivery,
): Bill => {
  const writers = units.filter((unit) => unit.writes > 0);
  const gigabyteSeconds = writers.reduce((sum, unit) => sum + unit.gigabyteSeconds, 0) / writers.length;
  return {
    Counting:
      prices.lambdaCall(deliveries) +
      prices.lambdaGigabyteSecond(deliveries * gigabyteSeconds) +
      prices.dynamodbWrite(deliveries * writesOfDelivery),
  };
};

/** The price of starting environments, each for one call. */
export const billOfColdStarts = (starts: number, { memoryGigabytes }: TemplateFigures): number =>
  prices.lambdaGigabyteSecond((starts * assumptions.coldStartMilliseconds * memoryGigabytes) / 1000);

/** The monthly costs independent of calls, at most: a metric is only billed for the hours in which it has a value. */
export const monthlyBill = ({ alarmMetrics, dashboards, customMetrics }: TemplateFigures): Bill => {
  const { month } = prices;
  return {
    Alarms: alarmMetrics * month.alarmMetric,
    Metrics: customMetrics * month.customMetric,
    Dashboard: dashboards * month.dashboard,
  };
};

/** The price of opening the dashboard once, whose queries each scan one of the two lines of each call. */
export const billOfLook = (calls: number, units: CallUnits[], { dashboardQueries }: TemplateFigures): number => {
  const gigabytes = units.reduce((sum, unit) => sum + unit.logGigabytes, 0) / units.length;
  return prices.scannedGigabyte(dashboardQueries * calls * assumptions.shownPart * (gigabytes / 2));
};

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, cost) => sum + cost, 0);

/** The most expensive item of a bill. */
export const dominantOf = (bill: Bill): string => Object.entries(bill).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
