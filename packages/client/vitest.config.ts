import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // In a run of all projects, the packages follow the service, which has other numbers of workers.
    sequence: { groupOrder: 1 },
    testTimeout: 60_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
  },
});
