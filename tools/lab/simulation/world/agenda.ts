import { createHash } from "node:crypto";
import type { Change } from "../database/database.ts";

/** A request to the database, from the moment when it was sent. Moments number the events of a run. */
export interface Attempt {
  /** The id of the operation that sent the request. */
  operation: number;
  number: number;
  action: string;
  body: string;
  sentAt: number;
  /** When the request first reached the database, if it did. */
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

/** The future events in the order of their virtual times. Events at the same time run in the order in which they were planned. */
export interface Agenda {
  /** Returns the virtual time, in milliseconds. */
  now(): number;
  plan(delayMilliseconds: number, run: () => void): void;
  /** Runs all events, including events that are planned in the meantime. After each event, all promises that can settle do so. */
  runAll(): Promise<void>;
}

interface Planned {
  time: number;
  run: () => void;
}

/** More than any schedule needs. A run with more events is considered endless. */
const maxEvents = 20_000;

const { setImmediate: nextTurn } = globalThis;
const allPromisesSettle = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

export const createAgenda = (startMilliseconds: number): Agenda => {
  const planned: Planned[] = [];
  let now = startMilliseconds;

  return {
    now: () => now,
    plan(delayMilliseconds, run) {
      const time = now + Math.max(0, delayMilliseconds);
      let place = planned.length;
      while (place > 0 && (planned[place - 1]?.time ?? 0) > time) place -= 1;
      planned.splice(place, 0, { time, run });
    },
    async runAll() {
      await allPromisesSettle();
      for (let events = 0; events < maxEvents; events += 1) {
        const next = planned.shift();
        if (!next) return;
        now = next.time;
        next.run();
        await allPromisesSettle();
      }
      throw new Error(`The schedule has not ended after ${maxEvents} events.`);
    },
  };
};
