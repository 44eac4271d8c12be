import { join } from "node:path";
import { readJsonFile, replaceFile } from "../support/private-files.ts";
import * as z from "../support/zod.ts";

/** The time that functions see. It is ahead of the real time if somebody has moved it forward, and never goes back. */
export interface Clock {
  now: () => number;
  /** Returns how far it is ahead. */
  aheadMilliseconds: () => number;
  /** Permanently moves the clock forward to a time. A time in the past has no effect. */
  moveTo: (time: number) => Promise<void>;
  /** The milliseconds that it is ahead, as a 64-bit integer for the functions' threads. */
  shared: SharedArrayBuffer;
}

const fileSchema = z.strictObject({ aheadMilliseconds: z.int().check(z.nonnegative()) });

/**
 * Opens the clock of a data folder. It stays ahead after a restart, so that stored data never lies in the future.
 *
 * @throws {LocalError} if the clock's file is damaged
 */
export const openClock = async (dataDirectory: string): Promise<Clock> => {
  const path = join(dataDirectory, "clock.json");
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const ahead = new BigInt64Array(shared);
  const stored = await readJsonFile(
    path,
    fileSchema,
    (reason) =>
      `The file ${path}, which says how far the clock is ahead, is damaged (${reason}): restore a copy of that ` +
      "folder, or move it away to start with an empty database.",
  );
  Atomics.store(ahead, 0, BigInt(stored?.aheadMilliseconds ?? 0));
  const aheadMilliseconds = () => Number(Atomics.load(ahead, 0));
  const now = () => Date.now() + aheadMilliseconds();

  return {
    now,
    aheadMilliseconds,
    shared,
    async moveTo(time) {
      const next = Math.round(time - Date.now());
      if (next <= aheadMilliseconds()) return;
      // Saved before anyone sees the new time.
      await replaceFile(path, `${JSON.stringify({ aheadMilliseconds: next })}\n`);
      Atomics.store(ahead, 0, BigInt(next));
    },
  };
};
