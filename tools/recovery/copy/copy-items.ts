import type { Item } from "../../../lambdas/dynamodb/records.ts";
import type { Checkpoint, CheckpointFile, Segment } from "./checkpoint.ts";
import type { OpenTable, Page } from "./open-table.ts";
import { putItems, putMissingItems } from "./write-items.ts";

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
export const copyItems = async (
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

export const sumOf = (segments: Segment[], field: "done" | "skipped"): number =>
  segments.reduce((sum, segment) => sum + segment[field], 0);

/** Counts the items of a table, in as many parts at once. */
export const countItems = async (
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
