import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "test/support/count-reporter.ts"],
    include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    globalSetup: "test/support/synthesise-once.ts",
    // Each file of tests starts the service for itself; the machine need not be a fast one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
