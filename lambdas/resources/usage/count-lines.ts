import { createHash } from "node:crypto";
import type { LogEvent } from "./log-batch.ts";
import { isUse, type RequestLine, readRequestLine } from "./request-line.ts";
import type { Refusal, UsageHour } from "./usage-store.ts";

/** What a batch of lines has of one token in one hour. */
export interface Share {
  tokenId: string;
  hour: UsageHour;
  /** Identifies its lines: the same whenever the same lines come again. */
  batch: string;
}

interface CountedLine {
  line: RequestLine;
  id: string;
  time: string;
}

/** Sums up the lines of a batch by token and hour, each once, and tells how many of them could not be read. */
export const countLines = (events: readonly LogEvent[]): { shares: Share[]; unread: number } => {
  const different = new Map(events.map((event) => [event.id, event]));
  const lines = [...different.values()].flatMap(({ id, timestamp, message }): CountedLine[] => {
    const line = readRequestLine(message);
    return line ? [{ line, id, time: new Date(timestamp).toISOString() }] : [];
  });
  const groups = Map.groupBy(lines, ({ line, time }) => `${line.token_id} ${beginningOfHour(time)}`);
  return { shares: [...groups.values()].map(shareOf), unread: different.size - lines.length };
};

/** The beginning of the hour that a time is in. Times are RFC 3339, UTC, with milliseconds. */
export const beginningOfHour = (time: string): string => `${time.slice(0, 13)}:00:00.000Z`;

const shareOf = (lines: CountedLine[]): Share => {
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
      refusals: lines.flatMap(refusalOf),
      ...(first_used_at !== undefined && { first_used_at }),
      ...(last_used_at !== undefined && { last_used_at }),
    },
  };
};

/** Nine bytes of a hash: short, since an hour remembers many. */
const batchOf = (lines: CountedLine[]): string => {
  const ids = lines.map(({ id }) => id).toSorted();
  return createHash("sha256").update(ids.join()).digest().subarray(0, 9).toString("base64url");
};

const refusalOf = ({ line: { code, status, source_ip, route, leak_signal }, time }: CountedLine): Refusal[] =>
  code === undefined ? [] : [{ time, code, status, source_ip, route, leak: leak_signal !== undefined }];

const countBy = (lines: CountedLine[], of: (line: CountedLine) => string | undefined): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const line of lines) {
    const name = of(line);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};
