import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { present } from "../../shared/present.ts";
import { addUp, type CountedLeakAddress, mergeLeakAddresses, type Refusal } from "./refusal.ts";
import {
  isUse,
  type LogEvent,
  type RequestLine,
  readRequestLine,
  type UrgentCall,
  urgentCallsIn,
} from "./request-line.ts";
import type { UsageHour } from "./usage-record.ts";

/** The part of a batch of lines that belongs to one token and one hour. */
export interface HourlyUsage {
  tokenId: string;
  hour: UsageHour;
  /** Identifies the lines. This identifier stays the same if the lines are delivered again. */
  batch: string;
}

interface CountedLine {
  line: RequestLine;
  id: string;
  time: string;
}

/** A line from further in the future must have a wrong time, and its hour would be kept for too long. */
const aheadMs = 24 * 60 * 60 * 1000;

/**
 * Sums up the lines of a batch by token and hour, each line once. Also finds the calls that people should be notified of at once,
 * and counts unreadable lines.
 */
export const countLines = (
  events: readonly unknown[],
  now = Date.now(),
): { hourlyUsage: HourlyUsage[]; urgentCalls: UrgentCall[]; unread: number } => {
  const logEvent: z.ZodMiniType<LogEvent> = z.object({
    id: z.string().check(z.minLength(1)),
    timestamp: z.int().check(z.minimum(0), z.maximum(now + aheadMs)),
    message: z.string(),
  });
  const read = events.flatMap((event) => z.safeParse(logEvent, event).data ?? []);
  const different = new Map(read.map((event) => [event.id, event]));
  const lines = [...different.values()].flatMap(({ id, timestamp, message }): CountedLine[] => {
    const line = readRequestLine(message);
    return line ? [{ line, id, time: new Date(timestamp).toISOString() }] : [];
  });
  const groups = Map.groupBy(lines, ({ line, time }) => `${line.token_id} ${beginningOfHour(time)}`);
  const unread = events.length - read.length + different.size - lines.length;
  return { hourlyUsage: [...groups.values()].map(hourlyUsageOf), urgentCalls: urgentCallsIn(lines), unread };
};

/** Returns the start of the hour that contains a time. Times are RFC 3339 in UTC, with milliseconds. */
export const beginningOfHour = (time: string): string => `${time.slice(0, 13)}:00:00.000Z`;

const hourlyUsageOf = (lines: CountedLine[]): HourlyUsage => {
  const [{ line: first, time } = { line: undefined, time: "" }] = lines;
  const uses = lines
    .filter(({ line }) => isUse(line))
    .map(({ time }) => time)
    .toSorted();
  const [first_used_at, last_used_at] = [uses[0], uses.at(-1)];
  return {
    tokenId: first?.token_id ?? "",
    batch: batchOf(lines),
    hour: {
      hour: beginningOfHour(time),
      statuses: countBy(lines, ({ line }) => `${Math.floor(line.status / 100)}xx`),
      codes: countBy(lines, ({ line }) => line.code),
      leak_signals: lines.filter(({ line }) => line.leak_signal !== undefined).length,
      leaks: leaksOf(lines),
      refusals: lines.flatMap(refusalOf),
      ...present({ first_used_at, last_used_at }),
    },
  };
};

/** Identifies lines by nine bytes of a hash. The hash is short, because an hour's item remembers many batches. */
const batchOf = (lines: CountedLine[]): string => {
  const ids = lines.map(({ id }) => id).toSorted();
  return createHash("sha256").update(ids.join()).digest().subarray(0, 9).toString("base64url");
};

const refusalOf = ({ line: { code, status, source_ip, route, leak_signal, claim }, time }: CountedLine): Refusal[] => {
  if (code === undefined) return [];
  return [{ time, code, status, source_ip, route, leak: leak_signal !== undefined, ...(claim && { claim }) }];
};

const leaksOf = (lines: CountedLine[]): CountedLeakAddress[] => {
  const calls = lines.flatMap(({ line: { source_ip, leak_signal }, time }) =>
    leak_signal === undefined || source_ip === "" ? [] : [{ source_ip, calls: 1, first_at: time, last_at: time }],
  );
  return mergeLeakAddresses([], calls, addUp, Number.POSITIVE_INFINITY);
};

const countBy = (lines: CountedLine[], of: (line: CountedLine) => string | undefined): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const line of lines) {
    const name = of(line);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
