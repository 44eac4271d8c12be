import { setTimeout } from "node:timers/promises";
import type { Item } from "../../../lambdas/dynamodb/records.ts";
import { RecoveryError } from "../command.ts";
import type { OpenTable } from "./open-table.ts";

// DynamoDB's own limit.
const itemsPerBatch = 25;
const batchesAtOnce = 4;
const putsAtOnce = 25;

// Together they take more than a minute.
const attemptsWithoutProgress = 15;
const firstWaitMs = 50;
const longestWaitMs = 20_000;

type Target = Pick<OpenTable, "name" | "putBatch" | "putIfMissing">;

export interface WriteOptions {
  signal: AbortSignal;
  /** Waits between attempts while DynamoDB throttles. */
  wait?: (milliseconds: number, value: undefined, options: { signal: AbortSignal }) => Promise<unknown>;
}

/** Puts items, replacing those with the same keys, as fast as the table takes them. */
export const putItems = async (target: Target, items: Item[], options: WriteOptions): Promise<void> => {
  const batches = Array.from({ length: Math.ceil(items.length / itemsPerBatch) }, (_, index) =>
    items.slice(index * itemsPerBatch, (index + 1) * itemsPerBatch),
  );
  await forEachAtOnce(batches, batchesAtOnce, (batch) => putBatch(target, batch, options));
};

const putBatch = async (target: Target, batch: Item[], { signal, wait = setTimeout }: WriteOptions): Promise<void> => {
  let rest = await target.putBatch(batch);
  for (let attempts = 1; rest.length > 0; attempts += 1) {
    if (attempts === attemptsWithoutProgress) {
      throw new RecoveryError(
        `Table ${target.name} has been throttled for more than a minute: wait, or give it warm throughput. Then run the same command again.`,
      );
    }
    await wait(Math.random() * Math.min(firstWaitMs * 2 ** attempts, longestWaitMs), undefined, { signal });
    const before = rest.length;
    rest = await target.putBatch(rest);
    if (rest.length < before) attempts = 0;
  }
};

/** Puts the items that are missing, and returns how many were there. Each item costs a request and a write. */
export const putMissingItems = async (target: Target, items: Item[]): Promise<number> => {
  let present = 0;
  await forEachAtOnce(items, putsAtOnce, async (item) => {
    if (!(await target.putIfMissing(item))) present += 1;
  });
  return present;
};

/** Works on values in order, a limited number at once, and stops at the first failure. */
const forEachAtOnce = async <Value>(
  values: Value[],
  limit: number,
  work: (value: Value) => Promise<void>,
): Promise<void> => {
  const remaining = values.values();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (const value of remaining) await work(value);
    }),
  );
};
