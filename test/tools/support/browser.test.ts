import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startBrowser } from "../../../tools/support/browser.ts";

// A browser that does not start leaves its temporary folders behind.
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-browser-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test.each([
  ["on a system without a Chromium from npm", { program: "", platform: "darwin" }],
  ["where the named program does not exist", { program: "/no/such/chromium" }],
])("%s, the error says how to choose another browser", async (_, options) => {
  await expect(startBrowser(options)).rejects.toThrow(/Install Chromium or Chrome and set CHROMIUM_PATH/);
});
