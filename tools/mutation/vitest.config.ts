import { defineConfig } from "vitest/config";

/** Unit tests alone; the command chooses the folder. */
export default defineConfig({ test: { include: ["**/*.test.ts"], testTimeout: 30_000 } });
