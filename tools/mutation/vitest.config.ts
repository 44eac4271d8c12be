import { defineConfig } from "vitest/config";

/** Only unit tests. The command chooses the folder. */
export default defineConfig({ test: { include: ["**/*.test.ts"], testTimeout: 30_000 } });
