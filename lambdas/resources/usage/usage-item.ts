import { createHash } from "node:crypto";
import { type Item, invalidResponse, type Values } from "../../dynamodb/records.ts";
import { type Refusal, refusal } from "./refusal.ts";
import type { UsageHour, UsageRecord } from "./usage-store.ts";

/*
 * How an hour is stored: flat, because DynamoDB can only add to top-level attributes, and bounded, whatever arrives. The
 * slot of a refusal follows from its reason and its address, and a later refusal replaces it; leaks have slots of their own.
 */

const slots = { refusal: 8, leak: 4 } as const;

interface UsageUpdate {
  adds: string[];
  sets: string[];
  values: Values;
}

/** The parts of an update expression that add an hour's counts to the stored ones. */
export const usageUpdate = ({ statuses, codes, leak_signals, refusals, ...used }: UsageHour): UsageUpdate => {
  const counts: Record<string, number> = {
    ...prefixed("status_", statuses),
    ...prefixed("code_", codes),
    ...(leak_signals > 0 && { leak_signals }),
  };
  const kept = Object.fromEntries(refusals.toSorted(byTime).map((one) => [slotOf(one), JSON.stringify(one)]));
  const { first_used_at, last_used_at } = used;
  const texts = { ...kept, ...(first_used_at && { first_used_at }), ...(last_used_at && { last_used_at }) };
  return {
    adds: Object.keys(counts).map((name) => `${name} :${name}`),
    sets: Object.keys(texts).map((name) =>
      name === "first_used_at" ? `${name} = if_not_exists(${name}, :${name})` : `${name} = :${name}`,
    ),
    values: { ...counts, ...texts },
  };
};

/** The hour that an item holds. `record` is the same item, read as a record. */
export const toUsageHour = (item: Item, { entry, first_used_at, last_used_at }: UsageRecord): UsageHour => {
  const refusals = Object.entries(item)
    .filter(([name]) => /^(refusal|leak)_\d+$/.test(name))
    .map(([, { S }]) => parseRefusal(S));
  return {
    hour: entry,
    statuses: countsOf(item, "status_"),
    codes: countsOf(item, "code_"),
    leak_signals: item.leak_signals ? countOf(item.leak_signals) : 0,
    refusals: refusals.toSorted(byTime).toReversed(),
    ...(first_used_at && { first_used_at }),
    ...(last_used_at && { last_used_at }),
  };
};

const parseRefusal = (text = ""): Refusal => {
  try {
    return refusal.parse(JSON.parse(text));
  } catch {
    throw invalidResponse("A stored refusal cannot be read.");
  }
};

const byTime = (one: Refusal, other: Refusal): number => one.time.localeCompare(other.time);

const slotOf = ({ leak, code, source_ip }: Refusal): string => {
  const kind = leak ? "leak" : "refusal";
  const hash = createHash("sha256").update(`${code} ${source_ip}`).digest();
  return `${kind}_${hash.readUInt32BE() % slots[kind]}`;
};

const prefixed = (prefix: string, counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [prefix + name, count]));

const countsOf = (item: Item, prefix: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, attribute]) => [name.slice(prefix.length), countOf(attribute)]),
  );

const countOf = ({ N }: Item[string]): number => {
  const count = Number(N);
  if (!Number.isInteger(count)) throw invalidResponse("A stored count is not a whole number.");
  return count;
};
