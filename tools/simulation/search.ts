import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Result, Task } from "./worker.ts";

interface SearchOptions {
  /** How many seeds are examined at a time. The number is small, so that a search ends soon after a finding. */
  seedsPerTask?: number;
  onProgress?: (schedules: number) => void;
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
  let schedules = 0;
  let finding: Result["finding"];

  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    try {
      while (next < to && (finding === undefined || next < finding.seed)) {
        const task = { ...what, from: next, to: Math.min(next + seedsPerTask, to) };
        next = task.to;
        const result = await ask(worker, task);
        schedules += result.schedules;
        if (result.finding && (finding === undefined || result.finding.seed < finding.seed)) finding = result.finding;
        onProgress?.(schedules);
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
  if (!result) throw new Error("A worker has answered nothing.");
  return result;
};
