import { formatCount, formatDuration, startProgress } from "../support/progress.ts";
import { RecoveryError } from "../support/recovery-error.ts";
import { type Checkpoint, type CopyMode, checkpointFile, newCheckpoint, readCheckpoint } from "./checkpoint.ts";
import { copyItems, countItems, sumOf } from "./copy-items.ts";
import { type OpenTable, openTable } from "./open-table.ts";

export interface CopyTableOptions {
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
  {
    mode,
    having,
    segmentCount,
    file,
    signal,
    stop,
    tell,
  }: Omit<CopyTableOptions, "from" | "to"> & { stop: () => void },
): Promise<void> => {
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
