import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { startBrowserWithProfile } from "../../tools/support/browser.ts";
import { fillInLogin } from "../support/console.ts";
import { loginOf, sharedService } from "../support/service.ts";

/** Uses a browser until it is closed, and returns the contents of its profile. */
const filesAfter = async (use: (page: Page) => Promise<void>): Promise<Buffer[]> => {
  const folder = await mkdtemp(join(tmpdir(), "profile-"));
  // Processes of the browser may still be ending, and remove their files.
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }));
  const context = await startBrowserWithProfile(folder);
  try {
    await use(context.pages()[0] ?? (await context.newPage()));
  } finally {
    await context.close();
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => readFile(join(parentPath, name)).catch(ignoreMissing));
  return (await Promise.all(contents)).filter((content) => content !== undefined);
};

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error;
};

/** Returns the text of files in an encoding that browsers use. */
const foundIn = (files: Buffer[], texts: string[]): string[] =>
  texts.filter((text) =>
    (["utf8", "utf16le"] as const).some((encoding) => files.some((file) => file.includes(Buffer.from(text, encoding)))),
  );

/** An address that the browser may store, to prove that the search finds stored text. */
const stored = "/settings.json?stored=by-the-browser";

test("the browser stores no v_code and no admin response, whether or not a page has shown the v_code", async () => {
  const service = await sharedService();
  const keys = ["listed", "shown", "documented"].map((name) => ({
    key_id: `${name} key`,
    v_code: `${name}-secret-`.padEnd(64, "unstored"),
  }));
  for (const key of keys) await service.admin({ action: "create_key", ...key });
  const { token } = await service.admin({ action: "issue", ip: "127.0.0.1" });

  const files = await filesAfter(async (page) => {
    await page.goto(`${service.baseUrl}/keys`);
    await fillInLogin(page, loginOf(service, "Admin"));
    await page.getByRole("link", { name: "listed key" }).waitFor();
    await page.goto(`${service.baseUrl}/keys?key=shown+key`);
    await page.getByRole("button", { name: "Show the v_code of shown key" }).click();
    await page.getByText(keys[1]?.v_code ?? "").waitFor();
    await page.goto(`${service.baseUrl}/api/documentation/keys/get`);
    await page.getByLabel("Your token").fill(String(token));
    await page.getByRole("main").getByLabel("key_id", { exact: true }).fill("documented key");
    await page.getByRole("button", { name: "Send this call" }).click();
    await page
      .locator(".outcome")
      .getByText(keys[2]?.v_code ?? "")
      .first()
      .waitFor();
    await page.evaluate(`fetch("${stored}").then((response) => response.text())`);
  });

  expect(foundIn(files, [stored])).toEqual([stored]);
  const secrets = [String(token), ...keys.map(({ v_code }) => v_code)];
  expect(foundIn(files, [`${service.baseUrl}/admin/`, ...secrets])).toEqual([]);
});
