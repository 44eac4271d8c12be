import { parentPort, workerData } from "node:worker_threads";
import { findFailure, shrinkFailure } from "./explore.ts";
import { plants } from "./plants/plants.ts";
import { failureReport } from "./report.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";

/** What a worker is asked: to look for a failing schedule among these seeds. */
export interface Task {
  from: number;
  to: number;
  plant?: string;
}

/** The first seed that fails, with its report. */
export interface Finding {
  seed: number;
  report: string;
}

const { from, to, plant: name }: Task = workerData;
const plant = name === undefined ? undefined : plants[name];

const finding = await withVirtualGlobals(async (): Promise<Finding | undefined> => {
  const failure = await findFailure({ from, to }, plant);
  if (!failure) return undefined;
  return { seed: failure.seed, report: failureReport(await shrinkFailure(failure, plant), { plant: name }) };
});
parentPort?.postMessage(finding);
