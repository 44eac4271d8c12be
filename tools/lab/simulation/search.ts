import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { explore, failureReport, shrinkFailure, type Task } from "./explore.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";

/** Distinguishes the workers from other threads that load this file. */
const duty = "examine schedules";

interface Result {
  schedules: number;
  /** The first failure, with a description of the smallest schedule that fails in the same way. */
  finding?: { seed: number; report: string };
}

/** Examines the schedules of a task in this thread. */
export const examineAll = (task: Task): Promise<Result> =>
  withVirtualGlobals(async () => {
    const { failure, schedules } = await explore(task);
    if (!failure) return { schedules };
    const report = failureReport(await shrinkFailure(failure, task), task);
    return { schedules, finding: { seed: failure.seed, report } };
  });

/** The number of seeds that a worker examines at once. It is small, so that a search ends soon after a finding. */
const seedsAtOnce = 100;

interface SearchOptions {
  /** Returns whether the search ends although there are seeds left. */
  isOver: () => boolean;
  onProgress: (schedules: number) => void;
}

/** Examines the schedules of a task on all cores. The finding is the failure with the lowest seed, whatever the number of cores. */
export const search = async ({ from, to, ...what }: Task, { isOver, onProgress }: SearchOptions): Promise<Result> => {
  let next = from;
  let schedules = 0;
  let finding: Result["finding"];

  const work = async (): Promise<void> => {
    // Nearly everything that a schedule allocates is garbage at its end, so less frequent collections copy less.
    const resourceLimits = { maxYoungGenerationSizeMb: 128 };
    const worker = new Worker(fileURLToPath(import.meta.url), { resourceLimits, workerData: duty });
    try {
      while (next < to && !isOver() && (finding === undefined || next < finding.seed)) {
        const task = { ...what, from: next, to: Math.min(next + seedsAtOnce, to) };
        next = task.to;
        worker.postMessage(task);
        const [result]: Result[] = await once(worker, "message");
        if (!result) throw new Error("A worker has returned no result.");
        schedules += result.schedules;
        if (result.finding && (finding === undefined || result.finding.seed < finding.seed)) finding = result.finding;
        onProgress(schedules);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return finding ? { schedules, finding } : { schedules };
};

// This file is also the code of the workers.
if (workerData === duty)
  parentPort?.on("message", async (task: Task) => parentPort?.postMessage(await examineAll(task)));
