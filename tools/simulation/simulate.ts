import { parseArgs } from "node:util";
import { generateSchedule } from "./generate.ts";
import { reportLifeCycle } from "./life-cycle/report-life-cycle.ts";
import { plants } from "./plants/plants.ts";
import { runSchedule } from "./run-schedule.ts";
import { search } from "./search.ts";
import { ordersUpTo } from "./small-scope.ts";
import { withVirtualGlobals } from "./world/virtual-globals.ts";

const help = `Runs the service against a simulated database, with faults, and judges its responses and its data.

  npm run simulate -- --schedules 10000 [--from 1]  random schedules, one for each seed, on all cores
  npm run simulate -- --orders 3 [--from 0]         every order of up to 3 operations, with every single fault
  npm run simulate -- --orders 3 --seed N           one of these orders
  npm run simulate -- --seed N [--trace]            one random schedule, and its trace
  npm run simulate -- --plant NAME …                the same with a planted bug
  npm run simulate -- --plants                      looks for each planted bug
  npm run simulate -- --life-cycle [--tokens 2] [--requests 1] [--plant NAME]
                                                    explores the model of a token's life, and replays it
`;

const { values } = parseArgs({
  options: {
    schedules: { type: "string", default: "10000" },
    from: { type: "string" },
    orders: { type: "string" },
    seed: { type: "string" },
    plant: { type: "string" },
    plants: { type: "boolean", default: false },
    "life-cycle": { type: "boolean", default: false },
    tokens: { type: "string" },
    requests: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Every planted bug must be found within this many schedules. */
const schedulesPerPlant = 20_000;

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

const simulate = async (): Promise<void> => {
  const began = performance.now();
  const orders = values.orders === undefined ? undefined : Number(values.orders);
  const from = Number(values.seed ?? values.from ?? (orders === undefined ? 1 : 0));
  const end = orders === undefined ? from + Number(values.schedules) : ordersUpTo(orders).length;
  const to = values.seed === undefined ? end : from + 1;
  const { schedules, finding } = await search(
    { from, to, orders, plant: values.plant },
    // An order stands for hundreds of schedules.
    {
      seedsPerTask: orders === undefined ? 500 : 20,
      onProgress: (progress) =>
        process.stderr.write(`\r${progress.schedules} schedules; to continue from here: --from ${progress.next}`),
    },
  );
  process.stderr.write("\n");
  if (finding) {
    process.stdout.write(`${finding.report}\n`);
    process.exitCode = 1;
  }
  const rate = Math.round((1000 * schedules) / (performance.now() - began));
  const outcome = finding ? "One differs" : "No difference";
  process.stdout.write(`${outcome} in ${schedules} schedules, ${seconds(began)} s (${rate} per second).\n`);
};

const trace = (seed: number): Promise<void> =>
  withVirtualGlobals(async () => {
    const plant = values.plant === undefined ? undefined : plants[values.plant];
    const { chronicle } = await runSchedule(generateSchedule(seed), plant);
    process.stdout.write(`${chronicle.lines().join("\n")}\nSHA-256 of the trace: ${chronicle.hash()}\n`);
  });

const findPlants = async (): Promise<void> => {
  process.stdout.write("| Planted bug | Seed | Seconds | Schedules |\n|---|--:|--:|--:|\n");
  for (const plant of Object.keys(plants)) {
    const began = performance.now();
    const task = { from: 1, to: 1 + schedulesPerPlant, plant };
    const { schedules, finding } = await search(task, { seedsPerTask: 100 });
    process.stdout.write(`| ${plant} | ${finding?.seed ?? "not found"} | ${seconds(began)} | ${schedules} |\n`);
    if (!finding) process.exitCode = 1;
  }
};

const tryLifeCycle = async (): Promise<void> => {
  const scope = { tokens: Number(values.tokens ?? 2), requests: Number(values.requests) };
  const plant = values.plant === undefined ? undefined : plants[values.plant];
  const onProgress = (transitions: number) => process.stderr.write(`\r${transitions} transitions`);
  for await (const { text, isFailure } of reportLifeCycle(scope, { plant, onProgress })) {
    process.stdout.write(`${text}\n`);
    if (isFailure) process.exitCode = 1;
  }
};

if (values.plant !== undefined && !(values.plant in plants)) {
  throw new Error(`There is no plant "${values.plant}". The plants are: ${Object.keys(plants).join(", ")}.`);
}
if (values.help) process.stdout.write(help);
else if (values.plants) await findPlants();
else if (values["life-cycle"]) await tryLifeCycle();
else {
  if (values.trace) await trace(Number(values.seed));
  await simulate();
}
