import { fileURLToPath } from "node:url";
import type { Experiment } from "./experiment.ts";

/**
 * The experiments that `npm run lab -- NAME` runs. `npm test` runs the smoke form of each, without and with its planted bugs. The
 * code of an experiment is loaded when the experiment runs.
 */
export const experiments: Readonly<Record<string, Experiment>> = {
  simulation: {
    summary: "Runs the service against a simulated database, with faults, and judges its responses and its data.",
    isSeeded: true,
    seconds: 60,
    options: {
      schedules: { summary: "so many schedules, instead of a time", takes: "N" },
      orders: { summary: "every order of up to N operations, with every single fault", takes: "N" },
    },
    plants: async () => Object.keys((await import("./simulation/plants.ts")).plants),
    smokePlants: { "any secret is accepted": /^Seed \d+ fails:/ },
    run: async (trial) => (await import("./simulation/simulation.ts")).simulate(trial),
  },
  "life-cycle": {
    summary: "Checks the promises of a model of a token's life in all its states, and the service against the model.",
    plants: async () => Object.keys((await import("./simulation/plants.ts")).plants),
    smokePlants: { "a confirmation ignores the code": /^The real functions differ from the model/ },
    run: async (trial) => (await import("./simulation/simulation.ts")).liveThrough(trial),
  },
  fuzz: {
    summary:
      "Sends hostile requests to the bundled functions, which must respond as documented and keep their secrets.",
    isSeeded: true,
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
    summary: "Upgrades from the last release and rolls back, under traffic on one database.",
    seconds: 120,
    plants: async () => Object.keys((await import("./upgrade/plants.ts")).plants),
    smokePlants: { "other-hash": /^whether an active token is admitted: false/ },
    run: async (trial) => (await import("./upgrade/upgrade.ts")).tryUpgrade(trial),
  },
  bench: {
    summary: "Measures the bundles of the last release and of this version, and writes docs/performance.md.",
    parts: ["cold", "warm"],
    run: async (trial) => (await import("./bench/bench.ts")).bench(trial),
  },
  aws: {
    summary:
      "Measures a deployed stage, best of all dev, and writes aws-measurements.json. Without variables, it names them.",
    run: async (trial) => (await import("./aws/measure-aws.ts")).measureAws(trial),
  },
  canary: {
    summary: "Finds nothing but its planted bug, which shows that the laboratory reports what is found.",
    plants: async () => ["a dead canary"],
    smokePlants: { "a dead canary": /^The canary is dead\.$/ },
    run: async ({ plant }) => ({ problems: plant === undefined ? [] : ["The canary is dead."] }),
  },
};
