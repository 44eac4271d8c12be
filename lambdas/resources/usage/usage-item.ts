import { createHash } from "node:crypto";
import { fromItem, type Item } from "../../dynamodb/items.ts";
import type { Refusal, UsageHour } from "./usage-store.ts";

/*
 * How an hour is stored: flat, because DynamoDB adds to attributes at the top alone, and bounded, whatever comes. Each refusal
 * has a place that follows from its reason and its address, where a later one replaces it; leaks have places of their own.
 */

const places = { refusal: 8, leak: 4 } as const;

interface UsageUpdate {
  adds: string[];
  sets: string[];
  values: Item;
}

/** What an update is to add and to set, to add an hour's share to what is there. */
export const usageUpdate = ({ statuses, codes, leak_signals, refusals, ...used }: UsageHour): UsageUpdate => {
  const counts: Record<string, number> = {
    ...prefixed("status_", statuses),
    ...prefixed("code_", codes),
    ...(leak_signals > 0 && { leak_signals }),
  };
  const kept = Object.fromEntries(
    refusals.toSorted(byTime).map((refusal) => [placeOf(refusal), JSON.stringify(refusal)]),
  );
  const { first_used_at, last_used_at } = used;
  const texts = { ...kept, ...(first_used_at && { first_used_at }), ...(last_used_at && { last_used_at }) };
  return {
    adds: Object.keys(counts).map((name) => `${name} :${name}`),
    sets: Object.keys(texts).map((name) =>
      name === "first_used_at" ? `${name} = if_not_exists(${name}, :${name})` : `${name} = :${name}`,
    ),
    values: {
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`:${name}`, { N: String(count) }])),
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`:${name}`, { S: text }])),
    },
  };
};

interface HourTexts {
  entry: string;
  first_used_at?: string;
  last_used_at?: string;
}

/** The hour that an item holds. */
export const toUsageHour = (item: Item): UsageHour => {
  const { entry, first_used_at, last_used_at } = fromItem<HourTexts>(item, { required: ["entry"] });
  const refusals = Object.entries(item)
    .filter(([name]) => /^(refusal|leak)_\d+$/.test(name))
    .map(([, value]): Refusal => JSON.parse(value.S ?? ""));
  return {
    hour: entry,
    statuses: numbersOf(item, "status_"),
    codes: numbersOf(item, "code_"),
    leak_signals: Number(item.leak_signals?.N ?? 0),
    refusals: refusals.toSorted(byTime).toReversed(),
    ...(first_used_at && { first_used_at }),
    ...(last_used_at && { last_used_at }),
  };
};

const byTime = (one: Refusal, other: Refusal): number => one.time.localeCompare(other.time);

const placeOf = ({ leak, code, source_ip }: Refusal): string => {
  const kind = leak ? "leak" : "refusal";
  const hash = createHash("sha256").update(`${code} ${source_ip}`).digest();
  return `${kind}_${hash.readUInt32BE() % places[kind]}`;
};

const prefixed = (prefix: string, counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [prefix + name, count]));

const numbersOf = (item: Item, prefix: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), Number(value.N)]),
  );
