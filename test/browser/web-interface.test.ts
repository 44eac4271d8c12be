import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Console, focusInForm, openConsole, openIssueForm, useServiceInBrowser } from "../support/console.ts";
import { noFlaws, noOverflow, overflow, seriousFlaws } from "../support/observed-page.ts";
import { loginOf, type TestService } from "../support/service.ts";

let service: TestService;
let browser: Browser;
useServiceInBrowser((started) => {
  ({ service, browser } = started);
});

interface OpenOptions {
  path?: string;
  group?: string;
}

const open = ({ group = "Admin", path = "/" }: OpenOptions = {}): Promise<Console> =>
  openConsole(browser, service, loginOf(service, group), { path });

/** Runs a curl command and returns the status of the response. */
const statusOf = async (curlLine: string): Promise<string> => {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curlLine} -s -o /dev/null -w '%{http_code}'`]);
  return stdout;
};

/** The text of a box with a Copy button. */
const copyable = (dialog: Locator, label: string): Promise<string> =>
  dialog.getByRole("region", { name: label }).locator("code").innerText();

/** Issues a token for this machine and returns its curl command. The dialog stays open. */
const issueToken = async ({ page, dialog }: Console, comment: string): Promise<string> => {
  await openIssueForm({ page, dialog });
  await dialog.getByRole("button", { name: "Use my address" }).click();
  await dialog.getByLabel(/^Comment/).fill(comment);
  await dialog.getByRole("button", { name: "Issue token" }).click();
  return copyable(dialog, "Try it");
};

/** Copies the token and closes the dialog that shows it. */
const copyToken = async ({ dialog }: Console): Promise<void> => {
  await dialog.getByRole("button", { name: "Copy: Token" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
};

describe("a token", () => {
  test("is issued, works in the curl command shown, is rotated, is revoked and is then refused", async () => {
    const console = await open();
    const { page, dialog, row, observed } = console;
    const curlLine = await issueToken(console, "a token's life");
    expect(await statusOf(curlLine)).toBe("200");
    const text = await copyable(dialog, "Token");
    await copyToken(console);
    expect(await page.content()).not.toContain(text);

    await console.choose(row("a token's life"), "Rotate");
    await dialog.getByRole("button", { name: "Rotate token" }).click();
    const successor = await copyable(dialog, "Try it");
    expect(successor).not.toBe(curlLine);
    expect([await statusOf(curlLine), await statusOf(successor)]).toEqual(["200", "200"]);
    await copyToken(console);

    await row("a token's life").filter({ hasText: "Active" }).getByRole("link").click();
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke token" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await statusOf(successor)).toBe("401");
    const history = page.getByRole("listitem");
    await history.filter({ hasText: "admin@example.com revoked this token." }).waitFor();
    await history
      .filter({
        hasText: /admin@example\.com issued this token for 127\.0\.0\.1, as the successor of an earlier token\./,
      })
      .waitFor();

    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("gets a limit when it is issued, another one later, and then none", async () => {
    const console = await open();
    const { page, dialog, row, observed } = console;
    await openIssueForm({ page, dialog });
    await dialog.getByRole("button", { name: "Use my address" }).click();
    await dialog.getByLabel(/^Comment/).fill("limited");
    await dialog.getByLabel(/^Requests per minute/).fill("a lot");
    await dialog.getByRole("button", { name: "Issue token" }).click();
    await dialog.getByText("Enter a whole number, or leave the field empty.").waitFor();
    await dialog.getByLabel(/^Requests per minute/).fill("1");
    await dialog.getByRole("button", { name: "Issue token" }).click();
    const curlLine = await copyable(dialog, "Try it");
    await copyToken(console);
    // The third call is refused even if a minute ends in the meantime.
    const statuses = [await statusOf(curlLine), await statusOf(curlLine), await statusOf(curlLine)];
    expect(statuses).toContain("429");

    await row("limited").getByRole("link").click();
    await page.getByText("1 request per minute", { exact: true }).waitFor();
    const limitTo = async (limit: string) => {
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await dialog.getByLabel(/^Requests per minute/).fill(limit);
      await dialog.getByRole("button", { name: "Save changes" }).click();
    };
    await limitTo("0");
    await dialog.getByText("Requests per minute must be a whole number from 1 to 100000.").waitFor();
    await page.keyboard.press("Escape");
    await limitTo("1200");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("1,200 requests per minute", { exact: true }).waitFor();
    expect(await statusOf(curlLine)).toBe("200");

    await limitTo("");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("listitem").filter({ hasText: "admin@example.com edited this token: no limit." }).waitFor();
    await page.getByText("None", { exact: true }).waitFor();
    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("is copied to the clipboard completely", async () => {
    const console = await open();
    await issueToken(console, "to be copied");
    await console.dialog.getByRole("button", { name: "Copy: Try it" }).click();
    await console.dialog.getByText("Copied").waitFor();
    const copied = String(await console.page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toBe(await copyable(console.dialog, "Try it"));
    expect(await statusOf(copied)).toBe("200");
  });

  test("that was not copied is not lost by a careless click", async () => {
    const console = await open();
    await issueToken(console, "nearly lost");
    await console.dialog.getByRole("button", { name: "Done" }).click();
    await console.dialog.getByText("You have not copied the token").waitFor();
    await console.dialog.getByRole("button", { name: "Close without copying" }).click();
    await console.dialog.waitFor({ state: "detached" });
  });

  test("is not issued for an invalid address, and the service's reason appears while typing", async () => {
    const { page, dialog } = await open();
    await openIssueForm({ page, dialog });
    await dialog.getByLabel("IP address").fill("10.0.0.0/8");
    await dialog.getByText("The IP address must be one address, not a CIDR range.").waitFor();
  });

  test("is found by its comment, its address or its state", async () => {
    await service.admin({ action: "issue", ip: "203.0.113.77", comment: "the needle" });
    const { page, row } = await open();
    const search = page.getByRole("searchbox", { name: "Find tokens" });
    for (const text of ["NEEDLE", "113.77"]) {
      await search.fill(text);
      await page.getByText("1 found").first().waitFor();
      await row("the needle").waitFor();
    }
    await search.fill("no such token");
    await page.getByText("No token matches").waitFor();
  });
});

describe("a key", () => {
  test("is added, shown when asked for, replaced and deleted", async () => {
    const { page, dialog, row, choose, observed } = await open({ path: "/keys" });
    const keyId = "browser/key 1";
    const stored = async () => (await service.call("GET", `/api/v1/key/${encodeURIComponent(keyId)}`)).json();

    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill(keyId);
    await dialog.getByLabel("v_code").fill("short");
    await dialog.getByText("5 of 64 characters").waitFor();
    await dialog.getByRole("button", { name: "Add key" }).click();
    await dialog.getByText("The v_code must be 64 characters.").waitFor();
    await dialog.getByLabel("v_code").fill("😀".repeat(64));
    await dialog.getByRole("button", { name: "Add key" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ v_code: "😀".repeat(64) });

    await row(keyId).waitFor();
    expect(await page.content()).not.toContain("😀".repeat(64));
    await page.getByRole("button", { name: `Show the v_code of ${keyId}` }).click();
    await page.getByText("😀".repeat(64)).waitFor();

    await choose(row(keyId), "Replace v_code");
    await dialog.getByRole("button", { name: "Generate" }).click();
    await dialog.getByRole("button", { name: "Replace v_code" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).not.toMatchObject({ v_code: "😀".repeat(64) });

    await choose(row(keyId), "Delete");
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ code: "key_not_found" });
    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("that exists with another v_code is refused with a message at its field", async () => {
    await service.call("POST", "/api/v1/key", { form: { key_id: "taken", v_code: "v".repeat(64) } });
    const { page, dialog } = await open({ path: "/keys" });
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("taken");
    await dialog.getByLabel("v_code").fill("w".repeat(64));
    await dialog.getByRole("button", { name: "Add key" }).click();
    await dialog.getByText("The key_id has already been taken.").waitFor();
  });
});

describe("characters that cannot be seen", () => {
  const codesIn = (place: Locator): Promise<unknown> =>
    place
      .locator(".invisible-character")
      .evaluateAll((shown: { offsetWidth: number; dataset: { code: string } }[]) =>
        shown.map(({ offsetWidth, dataset }) => offsetWidth > 20 && dataset.code),
      );

  test("are shown in a key_id, in its v_code and in messages about it, and copying gives the true text", async () => {
    const [key_id, v_code] = ["look\u200balike\u202e", "\u009b\u202e".padEnd(64, "v")];
    await service.admin({ action: "create_key", key_id, v_code });
    await service.admin({ action: "create_key", key_id: "lookalike", v_code: "v".repeat(64) });
    const { page, dialog, observed } = await open({ path: `/keys?key=${encodeURIComponent(key_id)}` });

    expect(await codesIn(page.getByRole("heading", { level: 1 }))).toEqual(["U+200B", "U+202E"]);
    await page.getByRole("button", { name: "Show the v_code of look[U+200B]alike[U+202E]" }).click();
    await page.getByText(v_code).waitFor();
    expect(await codesIn(page.locator(".v-code"))).toEqual(["U+009B", "U+202E"]);
    await page.getByRole("button", { name: /^Copy the v_code/ }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(v_code);
    expect(await overflow(page)).toEqual(noOverflow);

    await page.getByRole("button", { name: "Delete" }).click();
    expect(await codesIn(dialog.locator("strong"))).toEqual(["U+200B", "U+202E"]);
    await dialog.getByRole("button", { name: "Delete key" }).click();
    await page.getByText("The key look[U+200B]alike[U+202E] was deleted.").waitFor();
    await page.goto(`${service.baseUrl}/keys?key=lookalike`);
    await page.getByRole("button", { name: "Show the v_code of lookalike" }).waitFor();
    expect(observed.errors).toEqual([]);
  });

  test("are shown in the comment of a token, and named when a key_id is typed", async () => {
    const comment = "billing\u2066\u200e sync ";
    const { token_id } = await service.admin({ action: "issue", ip: "192.0.2.8", comment });
    const { page, dialog } = await open({ path: `/?token=${token_id}` });
    await page.getByRole("heading", { name: "billing" }).waitFor();
    expect(await codesIn(page.getByRole("heading", { level: 1 }))).toEqual(["U+2066", "U+200E", "U+0020"]);

    await page.goto(service.baseUrl);
    const row = page.getByRole("row").filter({ hasText: "192.0.2.8" });
    await row.getByRole("button", { name: "Actions on billing[U+2066][U+200E] sync[U+0020]" }).waitFor();
    expect(await codesIn(row)).toEqual(["U+2066", "U+200E", "U+0020"]);

    await page.goto(`${service.baseUrl}/keys`);
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("a\u200bb");
    await dialog.getByText("This key_id contains characters that cannot be seen: U+200B.").waitFor();
  });
});

describe("keys beyond one page", () => {
  test("are reached with Next page, and left with Previous page", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `page-key-${index}`);
    for (const key_id of ids) await service.admin({ action: "create_key", key_id, v_code: "v".repeat(64) });
    const { page } = await open({ path: "/keys" });
    const shown = () => page.getByRole("row").allInnerTexts();
    await page.getByRole("table").getByRole("link").first().waitFor();
    const first = await shown();
    await page.getByRole("button", { name: "Next page" }).click();
    await expect.poll(shown).not.toEqual(first);
    await page.getByRole("button", { name: "Previous page" }).click();
    await expect.poll(shown).toEqual(first);
  });
});

describe("when the service does not answer", () => {
  test("the page says so, and continues when it answers again", async () => {
    const { page } = await open();
    await page.getByRole("table").waitFor();
    await page.route("**/admin/tokens*", (route) =>
      route.fulfill({ status: 503, json: { code: "unavailable", message: "The service cannot reach its data." } }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The tokens could not be refreshed").waitFor();
    await page.unroute("**/admin/tokens*");
    await page.getByRole("button", { name: /Try again/ }).click();
    await page.getByText("The tokens could not be refreshed").waitFor({ state: "detached" });
  });
});

test("a token can be issued with the keyboard alone", async () => {
  const { page, dialog } = await open();
  await page.getByRole("table").getByRole("link").first().waitFor();
  const focused = () => page.evaluate("document.activeElement?.innerText?.trim() ?? ''");
  for (let presses = 0; presses < 40 && (await focused()) !== "Invite a client"; presses += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await focusInForm(dialog);
  await page.keyboard.press("ArrowDown");
  await dialog.getByLabel("IP address").focus();
  await page.keyboard.type("192.0.2.55");
  await page.keyboard.press("Enter");
  await dialog.getByRole("heading", { name: "The token was issued" }).waitFor();
  await dialog.getByText("192.0.2.55").waitFor();
});

describe("every page", () => {
  test("has no serious accessibility flaw, nor has any dialog", async () => {
    const comment = "accessible";
    const { token_id } = await service.admin({ action: "issue", ip: "192.0.2.9", comment });
    const { page, dialog, row, choose } = await open({ group: "Superuser" });
    const check = async (what: string, openDialog?: string) =>
      expect(await seriousFlaws(page, openDialog), what).toEqual(noFlaws);
    const checkDialog = async (what: string, openDialog: () => Promise<void>) => {
      await openDialog();
      await dialog.waitFor();
      await check(what, "[role=dialog]");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };

    await row(comment).waitFor();
    await check("the tokens");
    await checkDialog("issue", () => openIssueForm({ page, dialog }));
    await checkDialog("edit", () => choose(row(comment), "Edit"));
    await checkDialog("rotate", () => choose(row(comment), "Rotate"));
    await checkDialog("revoke", () => choose(row(comment), "Revoke"));
    await page.goto(`${service.baseUrl}/?token=${token_id}`);
    await page.getByRole("heading", { name: "History" }).waitFor();
    await check("a token");
    await page.goto(`${service.baseUrl}/keys`);
    await page.getByRole("table").getByRole("link").first().waitFor();
    await check("the keys");
    await checkDialog("add", () => page.getByRole("button", { name: "Add a key" }).first().click());
    await page.goto(`${service.baseUrl}/keys?key=absent`);
    await page.getByText("There is no key with this key_id").waitFor();
    await check("a key that does not exist");
  });
});

test("the first load is below 350 KB in total", async () => {
  const { page } = await open();
  const sizeOf = async (page: Page): Promise<number> =>
    Number(
      await page.evaluate(
        `performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
          .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
      ),
    );
  await page.getByRole("table").waitFor();
  const session = await page.context().newCDPSession(page);
  onTestFinished(() => session.detach());
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.reload();
  await page.getByRole("table").getByRole("row").nth(1).waitFor();
  expect(await sizeOf(page)).toBeLessThan(350 * 1024);
});
