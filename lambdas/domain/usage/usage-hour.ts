import { createHash } from "node:crypto";
import { type Item, readOptional, type Values } from "../../dynamodb/records.ts";
import type { Update } from "../../dynamodb/table.ts";
import { addUp, mergeLeakAddresses, type Refusal } from "./refusal.ts";
import { count, countedLeakAddresses, deleteAt, readSet, storedRefusal } from "./usage-formats.ts";
import type { UsageHour, UsageRecord } from "./usage-record.ts";

/*
 * How an hour is stored. The item is flat, because DynamoDB can only add to top-level attributes, and its size is bounded.
 *
 * Each rejection goes into one of eight slots, chosen by its reason and address. Later rejections in the same slot replace it.
 * Leaks have four separate slots, and their addresses are also in the list `leak_addresses`.
 */

/** Reads the hour that an item stores. `record` is the same item, read as a record. */
export const toUsageHour = (item: Item, record: UsageRecord): UsageHour => {
  const { entry, first_used_at, last_used_at, leak_signals = 0, leak_addresses } = record;
  for (const name of ["batches", "earlier_batches"]) readSet(item, name);
  readOptional(item, "delete_at", count);
  const refusals = Object.keys(item)
    .filter((name) => /^(refusal_[0-7]|leak_[0-3])$/.test(name))
    .map((name) => storedRefusal.read(readOptional(item, name, storedRefusal.format) ?? ""))
    .toSorted((one, other) => other.time.localeCompare(one.time));
  return {
    hour: entry,
    statuses: storedCounts(item, /^status_([1-5]xx)$/),
    codes: storedCounts(item, /^code_([a-z_]{1,40})$/),
    leak_signals,
    leaks: leak_addresses === undefined ? [] : countedLeakAddresses.read(leak_addresses),
    refusals,
    ...(first_used_at && { first_used_at }),
    ...(last_used_at && { last_used_at }),
  };
};

const storedCounts = (item: Item, names: RegExp): Record<string, number> =>
  Object.fromEntries(
    Object.keys(item).flatMap((name) => {
      const [, counted] = names.exec(name) ?? [];
      return counted === undefined ? [] : [[counted, readOptional(item, name, count) ?? 0]];
    }),
  );

const slots = { refusal: 8, leak: 4 } as const;

/**
 * An hour remembers this many batches, or up to twice as many. When `batches` is full, it becomes `earlier_batches` and replaces
 * the previous one. Repeated deliveries arrive within minutes.
 */
const rememberedBatches = 64;

/** A part of an update: what it does to one attribute, and under which condition. */
interface Part {
  add?: string;
  set?: string;
  condition?: string;
  values?: Values;
}

/**
 * Returns the update that adds a batch's share of an hour to an item. It applies only if the item does not contain the batch yet
 * and still matches `known` in everything that the new values depend on. The first try assumes that the item is new, or that this
 * is its latest addition. If that is wrong, DynamoDB rejects the update and returns the item.
 */
export const usageUpdate = (hour: UsageHour, batch: string, known: Item = {}): Update => {
  const parts = [
    ...countsToAdd(hour).map(([name, count]): Part => ({ add: `${name} :${name}`, values: { [name]: count } })),
    { set: "delete_at = :delete_at", values: { delete_at: deleteAt(hour.hour) } },
    ...latestTexts(hour).flatMap(([name, text]) => raise(name, text, known)),
    ...lower("first_used_at", hour.first_used_at, known),
    ...nameLeaks(hour, known),
    ...remember(batch, known),
  ];
  const all = (member: "add" | "set" | "condition") => parts.flatMap((part) => part[member] ?? []);
  return {
    expression: `ADD ${all("add").join(", ")} SET ${all("set").join(", ")}`,
    condition: all("condition").join(" AND "),
    values: Object.assign({}, ...parts.map(({ values }) => values)),
    returnsItemIfRefused: true,
  };
};

const countsToAdd = ({ statuses, codes, leak_signals }: UsageHour): [string, number][] => [
  ...prefixed("status_", statuses),
  ...prefixed("code_", codes),
  ...(leak_signals > 0 ? [["leak_signals", leak_signals] as [string, number]] : []),
];

const prefixed = (prefix: string, counts: Record<string, number>): [string, number][] =>
  Object.entries(counts).map(([name, count]) => [prefix + name, count]);

/** Returns the time of the last use, and the rejections. Their strings begin with the time, so that they can be compared. */
const latestTexts = ({ last_used_at, refusals }: UsageHour): [string, string][] => {
  const inOrder = refusals.toSorted((one, other) => one.time.localeCompare(other.time));
  const slotted = Object.fromEntries(inOrder.map((refusal) => [slotOf(refusal), textOf(refusal)]));
  return Object.entries({ ...slotted, ...(last_used_at && { last_used_at }) });
};

const textOf = ({ time, ...refusal }: Refusal): string => JSON.stringify({ time, ...refusal });

const slotOf = ({ leak, code, source_ip }: Refusal): string => {
  const kind = leak ? "leak" : "refusal";
  const hash = createHash("sha256").update(`${code} ${source_ip}`).digest();
  return `${kind}_${hash.readUInt32BE() % slots[kind]}`;
};

/** Sets a string unless the item has a later one. */
const raise = (name: string, text: string, known: Item): Part[] =>
  (known[name]?.S ?? "") > text
    ? []
    : [
        {
          set: `${name} = :${name}`,
          condition: `(attribute_not_exists(${name}) OR ${name} <= :${name})`,
          values: { [name]: text },
        },
      ];

/** Sets a string unless the item has an earlier one. */
const lower = (name: string, text: string | undefined, known: Item): Part[] => {
  if (text === undefined) return [];
  const values = { [name]: text };
  const isEarlier = text < (known[name]?.S ?? text);
  return isEarlier
    ? [{ set: `${name} = :${name}`, condition: `${name} > :${name}`, values }]
    : [
        {
          set: `${name} = if_not_exists(${name}, :${name})`,
          condition: `(attribute_not_exists(${name}) OR ${name} <= :${name})`,
          values,
        },
      ];
};

/** Adds to the list of addresses. Requires that the stored list is the known one. */
const nameLeaks = ({ leaks }: UsageHour, known: Item): Part[] => {
  if (leaks.length === 0) return [];
  const name = "leak_addresses";
  const text = known[name]?.S;
  const named = mergeLeakAddresses(text === undefined ? [] : countedLeakAddresses.read(text), leaks, addUp);
  return [
    { set: `${name} = :${name}`, values: { [name]: JSON.stringify(named) } },
    text === undefined
      ? { condition: `attribute_not_exists(${name})` }
      : { condition: `${name} = :known_${name}`, values: { [`known_${name}`]: text } },
  ];
};

const isNew = ["batches", "earlier_batches"]
  .map((name) => `(attribute_not_exists(${name}) OR NOT contains(${name}, :batch))`)
  .join(" AND ");

const remember = (batch: string, known: Item): Part[] => {
  const values = { batch, batches: new Set([batch]), most: rememberedBatches };
  const isFull = readSet(known, "batches").length >= rememberedBatches;
  return isFull
    ? [
        {
          set: "earlier_batches = batches, batches = :batches",
          condition: `${isNew} AND size(batches) >= :most`,
          values,
        },
      ]
    : [
        {
          add: "batches :batches",
          condition: `${isNew} AND (attribute_not_exists(batches) OR size(batches) < :most)`,
          values,
        },
      ];
};
