import type { Database } from "../database/database.ts";
import type { Call } from "../schedule.ts";
import type { Done } from "../situation.ts";
import type { Changes, RecordBody } from "./service.ts";
import { type Follow, placeOfRecord, type RecordCall, type RecordName, recordNames } from "./tables.ts";

/** Returns the body of a response. */
export const bodyOf = ({ answer }: Pick<Done, "answer">): RecordBody => (answer?.body ?? {}) as RecordBody;

/** Returns the pages of changes that a reader has stored so far. */
export const pagesOf = ({ reader, feed }: Pick<Follow, "reader" | "feed">, done: readonly Done[]): Changes[] =>
  done.flatMap((one) => {
    const { call } = one.operation;
    const isStored = "feed" in call && call.reader === reader && call.feed === feed && !call.isForgotten;
    return (isStored && bodyOf(one).changes) || [];
  });

/**
 * Returns what a call requires: a version of its record that clients have seen, or the cursor where its reader continues.
 */
export const seenBefore = (id: number, call: RecordCall, initial: Database, done: readonly Done[]) => {
  if (call.operation === "follow") return pagesOf(call, done).at(-1)?.cursor;
  if (!("ifUnchanged" in call && call.ifUnchanged)) return undefined;
  const versions = versionsOf(call.name, initial, done);
  return versions.at(id % Math.max(1, versions.length));
};

/** Returns the versions of a record that clients have seen, by their `updated_at`. The first is the version of the setup. */
const versionsOf = (name: RecordName, initial: Database, done: readonly Done[]): string[] => {
  const { table } = placeOfRecord(name);
  const shown = done.flatMap((one) => {
    const { call } = one.operation;
    return "name" in call && call.name === name ? [bodyOf(one).results?.[0]?.record?.updated_at] : [];
  });
  return [initial.itemsOf(table).get(name)?.updated_at?.S, ...shown].filter((time) => time !== undefined);
};

/** Returns the final calls, which read all records. Readers finish their pass, and make another one. */
export const finalRecordCalls = (calls: readonly Call[]): readonly RecordCall[] => [
  ...readersIn(calls).flatMap((reader) => [reader, reader]),
  ...recordNames.map((name) => ({ kind: "record", operation: "get", name }) as const),
];

/** Returns the final call of each reader. */
const readersIn = (calls: readonly Call[]): RecordCall[] => {
  const follows = calls.flatMap((call) => ("feed" in call ? [call] : []));
  const readers = new Map(follows.map(({ reader, feed }) => [`${reader} ${feed}`, { reader, feed }]));
  return [...readers.values()].map(
    (reader): RecordCall => ({ kind: "record", operation: "follow", limit: 2, pages: 100, ...reader }),
  );
};
