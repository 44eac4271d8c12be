import { expect, test } from "vitest";
import { startBrowser } from "../../../tools/support/browser.ts";

test.each([
  ["on a system without a Chromium from npm", { program: "", platform: "darwin" }],
  ["where the named program does not exist", { program: "/no/such/chromium" }],
])("%s, the error says how to name another browser", async (_, options) => {
  await expect(startBrowser(options)).rejects.toThrow(/Install Chromium or Chrome and set CHROMIUM_PATH/);
});
