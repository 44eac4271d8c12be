import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests of single modules. All others need the synthesised stacks. */
const unitTests = [
  "test/lambdas/**/*.test.ts",
  "test/tools/recovery/**/*.test.ts",
  "test/tools/lab/simulation/**/*.test.ts",
  "test/tools/lab/linearizability/**/*.test.ts",
  "test/web/**/*.test.ts",
];

/** Tests that multiply what another test shows once: all dialogs, all plants, foreign projects. Only `npm run test:all` runs them. */
const multiplyingTests = ["test/**/*.all.test.ts"];

/**
 * Most objects of a test are garbage soon. With 16 MB for new objects, V8 collects garbage less often, and what it works on
 * still fits into the caches of the processor.
 */
const execArgv = ["--min-semi-space-size=16"];

const globalSetup = "test/support/synthesise-once.ts";

export default defineConfig({
  test: {
    reporters: ["default", "test/support/count-reporter.ts"],
    // Some tests mostly wait. With more workers, tests take longer than they save: they fight over the caches of the processor.
    // All services on another DynamoDB share its tables.
    maxWorkers: process.env.AWS_ENDPOINT_URL_DYNAMODB ? 1 : availableParallelism() + 1,
    // A worker runs one file after another, because loading the CDK and the SDK for each would take as long as many tests. The
    // project's own modules are evaluated for each file. What tests change outside of them is restored after each file.
    isolate: false,
    // Concurrent tests load the functions of a whole service each.
    maxConcurrency: 2,
    setupFiles: ["test/support/restore-globals.ts", "test/support/bounded-waits.ts"],
    // A wait ends after four minutes, and says what it waited for. A test or a hook has many of them. A slow machine takes several
    // times as long as a fast one, so these limits only end what never would.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Looking at a page more often takes processor time from the tests that run meanwhile.
    expect: { poll: { timeout: 240_000, interval: 100 } },
    // `npm test` runs the projects unit and service, `npm run test:all` every project.
    projects: [
      { extends: true, test: { name: "unit", include: unitTests, exclude: multiplyingTests, pool: "threads" } },
      {
        extends: true,
        test: {
          name: "service",
          execArgv,
          include: ["test/**/*.test.ts"],
          exclude: [...unitTests, ...multiplyingTests],
          globalSetup,
        },
      },
      { extends: true, test: { name: "all", execArgv, include: multiplyingTests, globalSetup } },
      // The packages' own tests, which `npm test` in their folders runs.
      "packages/*/vitest.config.ts",
    ],
  },
});
