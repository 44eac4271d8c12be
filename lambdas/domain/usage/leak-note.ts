import { type Item, invalidResponse, readOptional, type Values } from "../../dynamodb/records.ts";
import type { Update } from "../../dynamodb/table.ts";
import { type LeakAddress, mergeLeakAddresses, span } from "./refusal.ts";
import { count, deleteAt, keptMs, leakAddresses } from "./usage-formats.ts";
import type { Leak, UsageRecord } from "./usage-record.ts";

/*
 * How a token's leaks are stored: the last one in `seen_at` and `source_ip`, and a list of addresses. To make room for others, an
 * address is removed once it is eight days older than the last leak.
 */

/** Reads the leaks that an item stores. `record` is the same item, read as a record. */
export const toLeak = (item: Item, { entry, seen_at, source_ip, unlisted_at, addresses }: UsageRecord): Leak => {
  readOptional(item, "delete_at", count);
  if (seen_at === undefined) throw invalidResponse("The item has no seen_at.");
  if (source_ip === undefined) throw invalidResponse("The item has no source_ip.");
  if (addresses === undefined) throw invalidResponse("The item has no addresses.");
  const unlisted = unlisted_at !== undefined && { unlisted_at };
  return { token_id: entry, time: seen_at, source_ip, addresses: leakAddresses.read(addresses), ...unlisted };
};

/** Adds addresses, some of which may already be known, to the record of a token's leaks. */
export const addToLeak = (known: Leak, more: readonly LeakAddress[]): Leak => {
  const last = more.reduce(
    (latest, { last_at: time, source_ip }) => (time > latest.time ? { time, source_ip } : latest),
    { time: known.time, source_ip: known.source_ip },
  );
  const oldest = new Date(Date.parse(last.time) - keptMs).toISOString();
  const isRecent = ({ last_at }: LeakAddress) => last_at >= oldest;
  const recent = more.filter(isRecent);
  const addresses = mergeLeakAddresses(known.addresses.filter(isRecent), recent, span);

  const listed = new Set(addresses.map(({ source_ip }) => source_ip));
  const unlisted = recent.flatMap(({ source_ip, last_at }) => (listed.has(source_ip) ? [] : [last_at]));
  const unlisted_at = [known.unlisted_at ?? "", ...unlisted].toSorted().at(-1);
  return { ...known, ...last, addresses, ...(unlisted_at && { unlisted_at }) };
};

/** Returns the record of a token without leaks. */
export const noLeak = (token_id: string): Leak => ({ token_id, time: "", source_ip: "", addresses: [] });

/**
 * Returns the update that stores a leak if the item has not changed since it was read. Otherwise, leaks that were recorded in the
 * meantime would be lost.
 */
export const leakUpdate = ({ time, source_ip, addresses, unlisted_at }: Leak, known: Item = {}): Update => {
  const sets: Values = { seen_at: time, source_ip, addresses: JSON.stringify(addresses), unlisted_at };
  const present = Object.entries(sets).filter(([, value]) => value !== undefined);
  const seen = Object.keys(sets).flatMap((name) => (known[name] ? [[`known_${name}`, known[name].S]] : []));
  return {
    expression: `SET delete_at = :delete_at, ${present.map(([name]) => `${name} = :${name}`).join(", ")}`,
    condition: Object.keys(sets)
      .map((name) => (known[name] ? `${name} = :known_${name}` : `attribute_not_exists(${name})`))
      .join(" AND "),
    values: { ...sets, ...Object.fromEntries(seen), delete_at: deleteAt(time) },
    returnsItemIfRefused: true,
  };
};
