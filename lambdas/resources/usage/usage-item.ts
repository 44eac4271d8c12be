import { type Item, readOptional } from "../../dynamodb/records.ts";
import { count, countedLeakAddresses, readSet, storedRefusal } from "./formats.ts";
import { addUp, type CountedLeakAddress, mergeLeakAddresses } from "./leak-address.ts";
import type { Refusal } from "./refusal.ts";
import type { UsageHour, UsageRecord } from "./usage-store.ts";

/*
 * How an hour is stored: flat, because DynamoDB can only add to top-level attributes, and bounded, whatever arrives.
 *
 * A refusal has one of eight slots, which follows from its reason and its address, and a later refusal replaces it. A leak has
 * one of four slots of its own, and its address is also in the list `leak_addresses`. Version 1.0 knows only the slots.
 */

/** The hour that an item holds. `record` is the same item, read as a record. */
export const toUsageHour = (item: Item, record: UsageRecord): UsageHour => {
  const { entry, first_used_at, last_used_at, leak_signals = 0, leak_addresses } = record;
  for (const name of ["batches", "earlier_batches"]) readSet(item, name);
  readOptional(item, "delete_at", count);
  const refusals = Object.keys(item)
    .filter((name) => /^(refusal_[0-7]|leak_[0-3])$/.test(name))
    .map((name) => storedRefusal.read(readOptional(item, name, storedRefusal.format) ?? ""))
    .toSorted((one, other) => other.time.localeCompare(one.time));
  const named = leak_addresses === undefined ? [] : countedLeakAddresses.read(leak_addresses);
  return {
    hour: entry,
    statuses: countsOf(item, /^status_([1-5]xx)$/),
    codes: countsOf(item, /^code_([a-z_]{1,40})$/),
    leak_signals,
    leaks: leaksOf(named, refusals),
    refusals,
    ...(first_used_at && { first_used_at }),
    ...(last_used_at && { last_used_at }),
  };
};

/** The named addresses. The slots can have some that version 1.0 has counted, but not named. */
const leaksOf = (named: CountedLeakAddress[], refusals: Refusal[]): CountedLeakAddress[] => {
  const names = new Set(named.map(({ source_ip }) => source_ip));
  const unnamed = refusals
    .filter(({ leak, source_ip }) => leak && !names.has(source_ip))
    .map(({ source_ip, time }) => ({ source_ip, calls: 1, first_at: time, last_at: time }));
  return mergeLeakAddresses(named, unnamed, addUp);
};

const countsOf = (item: Item, names: RegExp): Record<string, number> =>
  Object.fromEntries(
    Object.keys(item).flatMap((name) => {
      const [, counted] = names.exec(name) ?? [];
      return counted === undefined ? [] : [[counted, readOptional(item, name, count) ?? 0]];
    }),
  );
