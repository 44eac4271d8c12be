import type { Item } from "../../../lambdas/dynamodb/records.ts";
import { RecoveryError } from "../command.ts";
import { formatCount, formatDuration, startProgress } from "../progress.ts";
import {
  type Checkpoint,
  type CheckpointFile,
  type CopyMode,
  checkpointFile,
  newCheckpoint,
  readCheckpoint,
  type Segment,
} from "./checkpoint.ts";
import { type OpenTable, openTable, type Page } from "./open-table.ts";
import { putItems, putMissingItems } from "./write-items.ts";

interface CopyTableOptions {
  from: { name: string; region: string | undefined };
  to: { name: string; region: string | undefined };
  mode: CopyMode;
  /** Copies only items that have one of these attributes; all items if the list is empty. */
  having: string[];
  /** How many parts of the table are copied at once. */
  segmentCount: number;
  /** Where the state of the copy is kept until it is complete. */
  file: string;
  /** Stops the copy, which the same call then continues. */
  signal: AbortSignal;
  tell: (sentence: string) => void;
}

/** Copies the items of a table into another one, continuing an interrupted copy, and counts them at the end. */
export const copyTable = async ({ signal, ...options }: CopyTableOptions): Promise<void> => {
  // The failure of one part stops the others.
  const failure = new AbortController();
  const stopping = AbortSignal.any([signal, failure.signal]);
  const tables: OpenTable[] = [];
  try {
    const from = await openTable({ ...options.from, option: "--from", signal: stopping });
    tables.push(from);
    const to = await openTable({ ...options.to, option: "--to", signal: stopping });
    tables.push(to);
    assertCopyable(from, to);
    await copyAndCount(from, to, { ...options, signal: stopping, stop: () => failure.abort() });
  } finally {
    for (const table of tables) table.close();
  }
};

const assertCopyable = (from: OpenTable, to: OpenTable): void => {
  if (from.id === to.id) throw new RecoveryError(`--from and --to are the same table, ${from.name} in ${from.region}.`);
  if (from.keys.join() !== to.keys.join()) {
    throw new RecoveryError(
      `${from.name} has the key ${from.keys.join(", ")}, and ${to.name} has ${to.keys.join(", ")}: check --from and --to.`,
    );
  }
};

const copyAndCount = async (
  from: OpenTable,
  to: OpenTable,
  options: Omit<CopyTableOptions, "from" | "to"> & { stop: () => void },
): Promise<void> => {
  const { mode, having, segmentCount, file, signal, stop, tell } = options;
  const copy: Checkpoint["copy"] = { from: from.id, to: to.id, mode, having };
  const earlier = await readCheckpoint(file, copy);
  const checkpoint = earlier ?? newCheckpoint(copy, segmentCount);
  const { segments } = checkpoint;
  const doneBefore = sumOf(segments, "done");
  if (earlier) tell(`Continuing the copy that was interrupted after ${formatCount(doneBefore)} items (${file}).`);
  else if (mode === "into empty") await assertEmpty(to);
  tell(`Copying ${from.name} (${from.region}) to ${to.name} (${to.region}).`);

  const startedAt = Date.now();
  const saved = checkpointFile(file, checkpoint);
  const copying = startProgress("Copying ", {
    total: having.length > 0 ? undefined : from.approximateCount,
    doneBefore,
  });
  try {
    await copyItems(from, to, { checkpoint, file: saved, signal, onProgress: copying.show });
  } catch (error) {
    stop();
    throw error;
  } finally {
    copying.end();
    await saved.save();
  }

  const done = sumOf(segments, "done");
  const skipped = sumOf(segments, "skipped");
  const counting = startProgress("Counting", { total: done });
  const count = await countItems(to, segments.length, counting.show);
  counting.end();
  await saved.remove();
  const result = `${to.name} has ${formatCount(count)} items.`;
  if (count < done) {
    throw new RecoveryError(
      `${result} ${formatCount(done)} were copied, so others have been deleted meanwhile: run the command again with --only-missing.`,
    );
  }
  const kept = skipped > 0 ? ` and kept ${formatCount(skipped)} that were there already` : "";
  tell(`Copied ${formatCount(done - skipped)} items${kept}, in ${formatDuration(Date.now() - startedAt)}. ${result}`);
};

const assertEmpty = async (to: OpenTable): Promise<void> => {
  if (await to.isEmpty()) return;
  throw new RecoveryError(
    `${to.name} is not empty: add --only-missing to keep the items that it has, or --overwrite to replace those that are also in the other table.`,
  );
};

interface CopyOptions {
  checkpoint: Checkpoint;
  file: CheckpointFile;
  signal: AbortSignal;
  onProgress: (done: number) => void;
}

/**
 * Copies all segments at once, from where the checkpoint says. A page counts as done once all of its items are written, so a
 * copy that is interrupted writes at most one page of each segment again.
 */
const copyItems = async (
  from: OpenTable,
  to: OpenTable,
  { checkpoint, file, signal, onProgress }: CopyOptions,
): Promise<void> => {
  const { mode, having } = checkpoint.copy;
  const { segments } = checkpoint;
  const write = async (items: Item[]): Promise<number> => {
    if (mode === "only missing") return putMissingItems(to, items);
    await putItems(to, items, { signal });
    return 0;
  };

  const copySegment = async (state: Segment, segment: number): Promise<void> => {
    const read = (after: Item | undefined): Promise<Page> =>
      from.readPage({ segment, segmentCount: segments.length, after, having });
    let page: Page | undefined = await read(state.after);
    while (page) {
      signal.throwIfAborted();
      const { items, next }: Page = page;
      const [skipped, following]: [number, Page | undefined] = await Promise.all([
        write(items),
        next ? read(next) : undefined,
      ]);
      Object.assign(state, { done: state.done + items.length, skipped: state.skipped + skipped, after: next });
      state.isFinished = next === undefined;
      onProgress(sumOf(segments, "done"));
      await file.saveSometimes();
      page = following;
    }
  };

  await Promise.all(segments.map((state, segment) => (state.isFinished ? undefined : copySegment(state, segment))));
};

const sumOf = (segments: Segment[], field: "done" | "skipped"): number =>
  segments.reduce((sum, segment) => sum + segment[field], 0);

/** Counts the items of a table, in as many parts at once. */
const countItems = async (
  table: OpenTable,
  segmentCount: number,
  onProgress: (count: number) => void,
): Promise<number> => {
  let total = 0;
  const countSegment = async (segment: number) => {
    let after: Item | undefined;
    do {
      const { count, next } = await table.countPage({ segment, segmentCount, after });
      total += count;
      onProgress(total);
      after = next;
    } while (after);
  };
  await Promise.all(Array.from({ length: segmentCount }, (_, segment) => countSegment(segment)));
  return total;
};
