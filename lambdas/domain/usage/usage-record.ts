import * as z from "zod/mini";
import { time } from "../../shared/validation/fields.ts";
import { storedIp } from "../tokens/stored-ip.ts";
import type { CountedLeakAddress, LeakAddress, Refusal } from "./refusal.ts";
import { count, countedLeakAddresses, entry, leakAddresses } from "./usage-formats.ts";

/** The outcome of a token's calls in one hour. */
export interface UsageHour {
  /** The start of the hour: RFC 3339, UTC, with milliseconds. */
  hour: string;
  /** The number of calls per status class, such as `2xx`. Each call is in exactly one class. */
  statuses: Record<string, number>;
  /** The number of calls per error code. */
  codes: Record<string, number>;
  /** The number of calls from a wrong address. */
  leak_signals: number;
  /** The wrong addresses. At most 20 are stored. */
  leaks: CountedLeakAddress[];
  /** The last rejections, one for each reason and address. */
  refusals: Refusal[];
  /** The times of the first and the last accepted call; absent if there was none. */
  first_used_at?: string;
  last_used_at?: string;
}

/** The wrong addresses from which a token's correct secret was sent. */
export interface Leak {
  token_id: string;
  /** The time and address of the last such call. */
  time: string;
  source_ip: string;
  /** All addresses, up to 20. */
  addresses: LeakAddress[];
  /** The last call from an address that is not listed; absent if all are listed. */
  unlisted_at?: string;
}

/** The fields of the table's items, except an hour's rejections and its counts by status and error. */
export const usageSchema = z.object({
  /** A token's id, or the fixed subject under which leaks are stored. */
  subject: z.string(),
  /** The start of the hour, or the id of the leaked token. */
  entry,
  first_used_at: z.exactOptional(time()),
  last_used_at: z.exactOptional(time()),
  leak_signals: z.exactOptional(count),
  /** The addresses from which the token leaked in the hour, with their numbers of calls, as JSON. */
  leak_addresses: z.exactOptional(countedLeakAddresses.format),
  /** When, and from which address, a token last leaked. */
  seen_at: z.exactOptional(time()),
  source_ip: z.exactOptional(storedIp),
  /** All addresses from which a token leaked, as JSON. */
  addresses: z.exactOptional(leakAddresses.format),
  /** When a token last leaked from an address that is not listed. */
  unlisted_at: z.exactOptional(time()),
});

export type UsageRecord = z.output<typeof usageSchema>;
