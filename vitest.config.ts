import { defineConfig } from "vitest/config";

/** Tests of single modules. All others need the synthesised stacks. */
const unitTests = [
  "test/concurrency/**/*.test.ts",
  "test/lambdas/**/*.test.ts",
  "test/web/**/*.test.ts",
  "packages/local-runner/test/**/*.test.ts",
];

export default defineConfig({
  test: {
    reporters: ["default", "test/support/count-reporter.ts"],
    // A service test starts the service, which takes a while on a slow machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: "unit", include: unitTests } },
      {
        extends: true,
        test: {
          name: "service",
          include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
          exclude: unitTests,
          globalSetup: "test/support/synthesise-once.ts",
        },
      },
    ],
  },
});
