import { createHash } from "node:crypto";
import type { Change } from "../database/database.ts";

/** A request to the database, from the moment when it was sent. Moments number the events of a run. */
export interface Attempt {
  /** The id of the operation on whose behalf it was sent. */
  operation: number;
  number: number;
  action: string;
  body: string;
  sentAt: number;
  /** When it reached the database for the first time, if it did. */
  arrivedAt?: number;
}

/** A write that took place. */
export interface Applied {
  attempt: Attempt;
  appliedAt: number;
  /** The virtual time, in Unix milliseconds. */
  time: number;
  change: Change;
}

/** The events of a run, in order. */
export interface Chronicle {
  /** Notes an event and returns its moment. */
  note(text: string): number;
  attempts: Attempt[];
  applied: Applied[];
  lines(): readonly string[];
  /** SHA-256 of the lines. */
  hash(): string;
}

export const createChronicle = (now: () => number): Chronicle => {
  const lines: string[] = [];
  return {
    note: (text) => lines.push(`${now()} ${text}`),
    attempts: [],
    applied: [],
    lines: () => lines,
    hash: () => createHash("sha256").update(lines.join("\n")).digest("hex"),
  };
};
