import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Result, Task } from "./worker.ts";

interface Progress {
  schedules: number;
  /** All seeds below this one have been examined. A search that was stopped can go on from here. */
  next: number;
}

interface SearchOptions {
  /** How many seeds are examined at a time. The number is small, so that a search ends soon after a finding. */
  seedsPerTask?: number;
  onProgress?: (progress: Progress) => void;
}

/**
 * Examines the schedules of a task on all cores. The finding is that of the lowest seed, whatever the number of cores;
 * `schedules` is how many were examined up to then.
 */
export const search = async (
  { from, to, ...what }: Task,
  { seedsPerTask = 500, onProgress }: SearchOptions = {},
): Promise<Result> => {
  let next = from;
  const running = new Set<number>();
  let schedules = 0;
  let finding: Result["finding"];

  const work = async (): Promise<void> => {
    // Nearly everything that a schedule allocates is garbage at its end, so fewer collections copy less.
    const resourceLimits = { maxYoungGenerationSizeMb: 128 };
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { resourceLimits });
    try {
      while (next < to && (finding === undefined || next < finding.seed)) {
        const task = { ...what, from: next, to: Math.min(next + seedsPerTask, to) };
        next = task.to;
        running.add(task.from);
        const result = await ask(worker, task);
        running.delete(task.from);
        schedules += result.schedules;
        if (result.finding && (finding === undefined || result.finding.seed < finding.seed)) finding = result.finding;
        onProgress?.({ schedules, next: Math.min(next, ...running) });
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return finding ? { schedules, finding } : { schedules };
};

const ask = async (worker: Worker, task: Task): Promise<Result> => {
  worker.postMessage(task);
  const [result]: Result[] = await once(worker, "message");
  if (!result) throw new Error("A worker has returned no result.");
  return result;
};
