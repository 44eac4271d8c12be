import type { StoredHistory } from "../../dynamodb/history.ts";
import { type ChangeEntry, parseEntry } from "./change-entry.ts";

/** The record that a change is about. */
export interface Subject {
  token_id: string | null;
  key_id: string | null;
}

/** A change together with the record that it is about. */
export interface RecordedChange extends ChangeEntry {
  subject: Subject;
}

/** All changes that a record remembers, newest first. */
export const changesOf = (subject: Subject, { entries }: StoredHistory): RecordedChange[] =>
  entries.map((entry) => ({ ...parseEntry(entry), subject })).toReversed();

/** The place of a change among all changes: its time, and what tells changes of the same millisecond apart. */
export interface Position {
  time: string;
  id: string;
}

export const positionOf = ({ time, kind, subject: { token_id, key_id } }: RecordedChange): Position => ({
  time,
  id: JSON.stringify([token_id, key_id, kind]),
});

/** Whether a change comes later in a list that begins with the newest change. */
export const comesAfter = (change: RecordedChange, { time, id }: Position): boolean =>
  change.time < time || (change.time === time && positionOf(change).id > id);

/** Newest first, and each change once: while the history of a deleted key is being moved, it is in two places. */
export const inOrder = (changes: readonly RecordedChange[]): RecordedChange[] => {
  const distinct = new Map(changes.map((change) => [JSON.stringify(positionOf(change)), change]));
  return [...distinct.values()].toSorted((one, other) => (comesAfter(one, positionOf(other)) ? 1 : -1));
};
