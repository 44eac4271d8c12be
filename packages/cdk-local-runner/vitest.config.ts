import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Many tests start processes and threads that load the same packages.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url));

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // In a run of all projects, the packages follow the service, which has other numbers of workers.
    sequence: { groupOrder: 1 },
    // A process runs one file after another, because loading the CDK for each would take as long as many tests. Threads would not do:
    // they cannot debug other threads.
    isolate: false,
    // Most objects of a test are garbage soon, so V8 collects garbage less often.
    execArgv: ["--min-semi-space-size=16"],
    setupFiles: ["../../test/support/restore-globals.ts", "../../test/support/bounded-waits.ts"],
    // A test that waits in vain fails within a minute. Most files start a service, and the machine may be slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
  },
});
