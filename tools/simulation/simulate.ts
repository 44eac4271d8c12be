import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { examine, shrinkFailure } from "./explore.ts";
import { generateSchedule } from "./generate.ts";
import { plants } from "./plants/plants.ts";
import { failureReport } from "./report.ts";
import { runSchedule } from "./run-schedule.ts";
import type { Finding, Task } from "./worker.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";

const usage = `Runs the service against a simulated database, with faults, one schedule for each seed.

  npm run simulate -- [--schedules 10000] [--from 1]   many schedules, on all cores
  npm run simulate -- --seed N [--trace]               one schedule; with its trace
  npm run simulate -- --plant NAME …                   the same with a planted bug
`;

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "10000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    plant: { type: "string" },
    trace: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** One task for each of this many seeds, so that the first finding ends the search soon. */
const seedsPerTask = 2_000;

const simulateMany = async (from: number, schedules: number): Promise<Finding | undefined> => {
  const end = from + schedules;
  let next = from;
  let first: Finding | undefined;
  const work = async (): Promise<void> => {
    // The seeds before a finding are all examined, so the result does not depend on the number of workers.
    while (next < end && !(first && first.seed < next)) {
      const task: Task = { from: next, to: Math.min(next + seedsPerTask, end), ...plantOption() };
      next = task.to;
      const finding = await runTask(task);
      if (finding && (!first || finding.seed < first.seed)) first = finding;
      process.stderr.write(`\r${next - from} schedules`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  process.stderr.write("\n");
  return first;
};

const runTask = (task: Task): Promise<Finding | undefined> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: task });
    worker.once("message", resolve);
    worker.once("error", reject);
  });

const plantOption = () => (values.plant === undefined ? {} : { plant: values.plant });

const simulateOne = (seed: number): Promise<string | undefined> =>
  withVirtualGlobals(async () => {
    const schedule = generateSchedule(seed);
    const plant = values.plant === undefined ? undefined : plants[values.plant];
    const { chronicle } = await runSchedule(schedule, plant);
    if (values.trace) process.stdout.write(`${chronicle.lines().join("\n")}\n`);
    process.stdout.write(`SHA-256 of the trace of seed ${seed}: ${chronicle.hash()}\n`);
    const failure = await examine(schedule, plant);
    return failure && failureReport(await shrinkFailure(failure, plant), plantOption());
  });

const main = async (): Promise<void> => {
  if (values.help) return void process.stdout.write(usage);
  if (values.plant !== undefined && !plants[values.plant]) {
    throw new Error(`There is no plant "${values.plant}". The plants are: ${Object.keys(plants).join(", ")}.`);
  }
  const began = performance.now();
  const schedules = values.seed === undefined ? Number(values.schedules) : 1;
  const report =
    values.seed === undefined
      ? (await simulateMany(Number(values.from), schedules))?.report
      : await simulateOne(Number(values.seed));
  const seconds = (performance.now() - began) / 1000;
  if (report !== undefined) {
    process.stdout.write(`${report}\n`);
    process.exitCode = 1;
  } else {
    const rate = Math.round(schedules / seconds);
    process.stdout.write(
      `${schedules} schedules without a difference in ${seconds.toFixed(1)} s (${rate} per second).\n`,
    );
  }
};

await main();
