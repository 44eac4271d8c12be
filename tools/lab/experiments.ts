import { fileURLToPath } from "node:url";
import type { Experiment } from "./conduct.ts";

const plants = async () => Object.keys((await import("./simulation/plants.ts")).plants);

/**
 * The experiments that `npm run lab -- NAME` runs. `npm run test:all` runs the smoke form of each, without and with a planted bug.
 * The code of an experiment is loaded when the experiment runs.
 */
export const experiments: Readonly<Record<string, Experiment>> = {
  simulation: {
    summary: "Runs the service against a simulated database, with faults, and judges its responses and its data.",
    numbers: ["seed", "seconds", "schedules"],
    seconds: 60,
    plants,
    smokePlants: { "any secret is accepted": /^Seed \d+ fails:/ },
    run: async (trial) => (await import("./simulation/simulation.ts")).simulate(trial),
  },
  records: {
    summary: "Calls the stores of records on a simulated database, with faults, and judges results and copies.",
    numbers: ["seed", "seconds", "schedules"],
    seconds: 60,
    plants: async () => Object.keys((await import("./simulation/records/plants.ts")).plants),
    smokePlants: { "a creation overwrites a record": /^Seed \d+ fails:/ },
    run: async (trial) => (await import("./simulation/simulation.ts")).simulateRecords(trial),
  },
  "life-cycle": {
    summary: "Compares the service with a model of a token's life, in all states of the model.",
    plants,
    smokePlants: { "a confirmation ignores the code": /^The real functions differ from the model/ },
    run: async (trial) => (await import("./simulation/simulation.ts")).liveThrough(trial),
  },
  fuzz: {
    summary:
      "Sends hostile requests to the bundled functions, which must respond as documented and keep their secrets.",
    numbers: ["seed", "seconds"],
    seconds: 600,
    run: async ({ assembly, isSmoke, seconds, ...trial }) => {
      const [{ fuzz }, { api }] = await Promise.all([
        import("../../test/kit/fuzz/fuzz.ts"),
        import("../../lambdas/api.ts"),
      ]);
      const failedCases = fileURLToPath(new URL("fuzz/seeds", import.meta.url));
      return fuzz(api, { ...trial, assemblyDirectory: await assembly(), failedCases, ...(!isSmoke && { seconds }) });
    },
  },
  upgrade: {
    summary:
      "Upgrades the example, and runs the last release and this version on one database, judged like the simulation.",
    numbers: ["seed", "seconds", "schedules"],
    seconds: 60,
    plants,
    smokePlants: { "another hash": /^Seed \d+ fails:/ },
    run: async (trial) => (await import("./upgrade/upgrade.ts")).tryUpgrade(trial),
  },
  bench: {
    summary: "Measures a bare handler, the last release and this version, and writes docs/performance.md.",
    flags: {
      peers: "Installs other frameworks with npm, and measures the same job on them.",
      local: "Measures instead what developers wait for, in a clone of the last commit.",
    },
    run: async (trial) => (await import("./bench/bench.ts")).bench(trial),
  },
  aws: {
    summary:
      "Measures a deployed stage, best of all dev, and writes aws-measurements.json. Without variables, it names them.",
    run: async (trial) => (await import("./aws/measure-aws.ts")).measureAws(trial),
  },
};
