import type { StoredHistory } from "../../dynamodb/change-history.ts";
import { invalidResponse } from "../../dynamodb/records.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { isTime } from "../../shared/validation/fields.ts";
import { type ChangeKind, changeKinds } from "./change-kinds.ts";

/** Who makes a change, from which address and in which request. Nothing here is secret. */
export interface Author {
  /** An admin's name, `invoke:<request id>[:<name>]`, or `token:<token id>`. */
  by: string;
  /** Canonical (RFC 5952); absent for an invocation. */
  from?: string | undefined;
  requestId: string;
}

/** Details of a change, such as the new expiry. Never contains a secret. */
export type ChangeDetails = Readonly<Record<string, string>>;

/** A change to record, as passed to a store. */
export interface ChangeNote<Kind extends ChangeKind = ChangeKind> {
  kind: Kind;
  author: Author;
  details?: ChangeDetails;
}

/** A change in a history. */
export interface ChangeEntry extends ChangeNote {
  /** RFC 3339, UTC, with milliseconds. This time is later than all earlier changes of the same record. */
  time: string;
  details: ChangeDetails;
}

/** Formats an entry as a record stores it. */
export const formatEntry = (time: string, { kind, author, details = {} }: ChangeNote): string =>
  JSON.stringify([time, kind, author.by, author.from ?? null, author.requestId, details]);

/**
 * Parses a stored entry.
 *
 * @throws {ApiError} `unavailable` if this code cannot have written it
 */
export const parseEntry = (text: string): ChangeEntry => {
  const [time, kind, by, from, requestId, details] = partsOf(text);
  if (
    typeof time === "string" &&
    isTime(time) &&
    isKind(kind) &&
    typeof by === "string" &&
    (from === null || typeof from === "string") &&
    typeof requestId === "string" &&
    isDetails(details)
  ) {
    return { time, kind, author: { by, ...(from !== null && { from }), requestId }, details };
  }
  throw invalidResponse("An entry of a history does not have its form.");
};

const partsOf = (text: string): unknown[] => {
  const value = parseJson(text);
  return Array.isArray(value) && value.length === 6 ? value : [];
};

const isKind = (value: unknown): value is ChangeKind => changeKinds.some((kind) => kind === value);

const isDetails = (value: unknown): value is ChangeDetails =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((detail) => typeof detail === "string");

/** The record that a change is about. */
export interface Subject {
  token_id: string | null;
  key_id: string | null;
}

/** A change, with the record that it is about. */
export interface RecordedChange extends ChangeEntry {
  subject: Subject;
}

/** Returns all changes that a record still stores, newest first. */
export const changesOf = (subject: Subject, { entries }: StoredHistory): RecordedChange[] =>
  entries.map((entry) => ({ ...parseEntry(entry), subject })).toReversed();

/** A change's position among all changes: its time, and an id that distinguishes changes of the same millisecond. */
export interface Position {
  time: string;
  id: string;
}

export const positionOf = ({ time, kind, subject: { token_id, key_id } }: RecordedChange): Position => ({
  time,
  id: JSON.stringify([token_id, key_id, kind]),
});

/** Checks whether a change comes after a position in a list that starts with the newest change. */
export const comesAfter = (change: RecordedChange, { time, id }: Position): boolean =>
  change.time < time || (change.time === time && positionOf(change).id > id);

/**
 * Sorts changes, newest first, and removes duplicates. While the history of a deleted key is being moved, it exists in two places.
 */
export const inOrder = (changes: readonly RecordedChange[]): RecordedChange[] => {
  const distinct = new Map(changes.map((change) => [JSON.stringify(positionOf(change)), change]));
  return [...distinct.values()].toSorted((one, other) => (comesAfter(one, positionOf(other)) ? 1 : -1));
};
