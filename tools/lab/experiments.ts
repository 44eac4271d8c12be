import type { Experiment } from "./experiment.ts";

/**
 * The laboratory: everything that `npm run lab -- NAME` runs. `npm test` runs the smoke form of each, without and with its
 * planted bugs. The code of an experiment is loaded when it runs.
 */
export const experiments: Readonly<Record<string, Experiment>> = {
  upgrade: {
    summary: "Upgrades from the last release and rolls back, under traffic on one database.",
    seconds: 120,
    plants: async () => (await import("../upgrade/plants.ts")).plantNames,
    smokePlants: {
      "open-invitation": /an invitation's secret is no token, in the released version/,
    },
    run: async (trial) => (await import("../upgrade/upgrade.ts")).tryUpgrade(trial),
  },
  bench: {
    summary: "Measures the service beside a handler without a framework, and writes docs/performance.md.",
    parts: ["cold", "warm", "chain", "delay"],
    options: { peers: { summary: "also measures the same job in other frameworks, whose packages it installs" } },
    run: async (trial) => (await import("../bench/bench.ts")).bench(trial),
  },
  costs: {
    summary: "Measures what a call of each endpoint uses. npm run docs computes docs/scale.md from it.",
    run: async (trial) => (await import("../costs/measure.ts")).measureCosts(trial),
  },
  mutation: {
    summary: "Changes the code in small ways, one at a time, and expects a unit test of the same folder to fail.",
    parts: ["resources/tokens", "resources/limits", "resources/keys", "middlewares"],
    options: { force: { summary: "also repeats what has not changed since the last run" } },
    run: async (trial) => (await import("../mutation/mutation.ts")).mutate(trial),
  },
  recipes: {
    summary: "Follows recipes of CONTRIBUTING.md in a copy of the project, and runs the tests that they name.",
    parts: ["endpoint", "table", "action", "version"],
    options: { all: { summary: "runs all tests instead" } },
    run: async (trial) => (await import("../recipes/recipes.ts")).tryRecipes(trial),
  },
  canary: {
    summary: "Finds nothing but its planted bug, which shows that the laboratory reports what is found.",
    plants: async () => ["a dead canary"],
    smokePlants: { "a dead canary": /^The canary is dead\.$/ },
    run: async ({ plant }) => ({ problems: plant === undefined ? [] : ["The canary is dead."] }),
  },
};
