import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests of single modules. All others need the synthesised stacks. */
const unitTests = [
  "test/concurrency/**/*.test.ts",
  "test/lambdas/**/*.test.ts",
  "test/tools/recovery/**/*.test.ts",
  "test/web/**/*.test.ts",
];

/** The local runner's tests run stacks of their own. They need processes: a thread cannot debug other threads. */
const runnerTests = ["packages/local-runner/test/**/*.test.ts"];

export default defineConfig({
  test: {
    reporters: ["default", "test/support/count-reporter.ts"],
    // Many tests mostly wait: for time-outs, for processes, for a browser.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A service test starts the service, which takes a while on a slow machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: "unit", include: unitTests, pool: "threads" } },
      { extends: true, test: { name: "runner", include: runnerTests } },
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
          exclude: [...unitTests, ...runnerTests],
          globalSetup: "test/support/synthesise-once.ts",
        },
      },
    ],
  },
});
