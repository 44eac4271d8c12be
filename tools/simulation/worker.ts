import { parentPort } from "node:worker_threads";
import { explore, type Scope, shrinkFailure } from "./explore.ts";
import { plants } from "./plants/plants.ts";
import { failureReport } from "./report.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";

/** The task of a worker: to examine some schedules. */
export interface Task extends Scope {
  /** The name of a planted bug. */
  plant?: string | undefined;
}

export interface Result {
  schedules: number;
  /** The first failure, with a description of the smallest schedule that fails in the same way. */
  finding?: { seed: number; report: string };
}

const perform = (task: Task): Promise<Result> =>
  withVirtualGlobals(async () => {
    const plant = task.plant === undefined ? undefined : plants[task.plant];
    const { failure, schedules } = await explore(task, plant);
    if (!failure) return { schedules };
    const report = failureReport(await shrinkFailure(failure, plant), task);
    return { schedules, finding: { seed: failure.seed, report } };
  });

parentPort?.on("message", async (task: Task) => parentPort?.postMessage(await perform(task)));
