import { afterAll, vi } from "vitest";

// The next file runs in the same process.
afterAll(() => {
  vi.resetConfig();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
