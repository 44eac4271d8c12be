import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { type Console, fillInLogin, loginOf, openConsole } from "../support/console.ts";
import { newObservedPage, type PageOptions, seriousFlaws } from "../support/observed-page.ts";
import { startService, type TestService } from "../support/service.ts";

const guest = { username: "guest@example.com", password: "correct horse", groups: [] };

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ additionalUsers: [guest] }), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

interface OpenOptions extends PageOptions {
  path?: string;
  group?: string;
}

const open = ({ group = "Admin", ...options }: OpenOptions = {}): Promise<Console> =>
  openConsole(browser, service, loginOf(service, group), options);

/** Runs a command line as it stands, and gives the status of the answer. */
const statusOf = async (curlLine: string): Promise<string> => {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curlLine} -s -o /dev/null -w '%{http_code}'`]);
  return stdout;
};

/** The text in a box that can be copied. */
const copyable = (dialog: Locator, label: string): Promise<string> =>
  dialog.getByRole("region", { name: label }).locator("code").innerText();

/** Issues a token for this machine and leaves the dialog with its curl line. */
const issueToken = async ({ page, dialog }: Console, comment: string): Promise<string> => {
  await page.getByRole("button", { name: "Issue a token" }).first().click();
  await dialog.getByRole("button", { name: "Use my address" }).click();
  await dialog.getByLabel(/^Comment/).fill(comment);
  await dialog.getByRole("button", { name: "Issue token" }).click();
  return copyable(dialog, "Try it");
};

/** Leaves the dialog that shows a token. */
const takeToken = async ({ dialog }: Console): Promise<void> => {
  await dialog.getByRole("button", { name: "Copy: Token" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
};

describe("signing in", () => {
  test("leads to the page that was asked for, and out again", async () => {
    const { page, observed } = await open({ path: "/keys?key=some%20key#top" });
    expect(page.url()).toBe(`${service.baseUrl}/keys?key=some%20key#top`);
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).not.toMatch(/token|eyJ/);
    expect(await page.evaluate("document.cookie")).toBe("");

    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    expect(page.url().startsWith(String(service.loginUrl))).toBe(true);
    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("with a wrong password says so, and nothing of whether there is such a user", async () => {
    const messages = [];
    for (const username of [loginOf(service, "Admin").username, "nobody@example.com"]) {
      const [page] = await newObservedPage(browser);
      await page.goto(service.baseUrl);
      await fillInLogin(page, { username, password: "wrong" });
      messages.push(await page.getByRole("alert").innerText());
    }
    expect(messages[0]).toMatch(/\w/);
    expect(messages[1]).toBe(messages[0]);
  });

  test("survives a reload, and is asked for again when the session is over", async () => {
    const { page } = await open({ path: "/keys" });
    await page.reload();
    await page.getByRole("heading", { name: "Keys" }).waitFor();

    // A session that the service no longer takes, some time after it began.
    await page.evaluate(`
      const session = JSON.parse(sessionStorage.getItem("session"));
      const accessToken = session.accessToken.replace(/.{8}$/, "damaged0");
      sessionStorage.setItem("session", JSON.stringify({ ...session, accessToken, startedAt: Date.now() - 60_000 }));`);
    await page.reload();
    await page.waitForRequest((request) => request.url().startsWith(String(service.loginUrl)));
    await page.waitForURL(`${service.baseUrl}/keys`);
    await page.getByRole("table").waitFor();
  });

  test("is asked for again, and comes back to the same place, when the session's time is over", async () => {
    const { page } = await open({ path: "/keys?key=later" });
    await page.evaluate(`
      const session = JSON.parse(sessionStorage.getItem("session"));
      sessionStorage.setItem("session", JSON.stringify({ ...session, expiresAt: Date.now() + 3_000 }));`);
    await page.reload();
    await page.getByRole("heading", { name: "later" }).waitFor();
    // The login itself has forgotten its user meanwhile, as it does after a while.
    await page.context().clearCookies();
    await fillInLogin(page, loginOf(service, "Admin"));
    await page.waitForURL(`${service.baseUrl}/keys?key=later`);
  });

  test.each([
    ["Superuser", 1],
    ["Admin", 0],
  ] as const)("as %s shows %i links to the documentation", async (group, count) => {
    for (const path of ["/", "/keys"]) {
      const { page } = await open({ group, path });
      await page.getByRole("table").waitFor();
      expect(await page.locator('a[href*="/api/documentation"]').count()).toBe(count);
      expect((await page.content()).includes("/api/documentation")).toBe(count > 0);
    }
  });

  test("of a user in neither group shows whom to ask, and nothing else", async () => {
    const { page } = await openConsole(browser, service, guest);
    await page.getByText("Ask whoever runs this service").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Issue a token" }).count()).toBe(0);
  });
});

describe("a token", () => {
  test("is issued and works as the curl line has it, is rotated, is revoked and is refused", async () => {
    const console = await open();
    const { page, dialog, row, observed } = console;
    const curlLine = await issueToken(console, "a token's life");
    expect(await statusOf(curlLine)).toBe("200");
    const text = await copyable(dialog, "Token");
    await takeToken(console);
    expect(await page.content()).not.toContain(text);

    await console.act(row("a token's life"), "Rotate");
    await dialog.getByRole("button", { name: "Rotate token" }).click();
    const successor = await copyable(dialog, "Try it");
    expect(successor).not.toBe(curlLine);
    expect([await statusOf(curlLine), await statusOf(successor)]).toEqual(["200", "200"]);
    await takeToken(console);

    await row("a token's life").filter({ hasText: "Active" }).getByRole("link").click();
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke token" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await statusOf(successor)).toBe("401");
    const history = page.getByRole("listitem");
    await history.filter({ hasText: /Revoked by admin@example\.com/ }).waitFor();
    await history.filter({ hasText: /Issued by admin@example\.com/ }).waitFor();

    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("gets a limit when it is issued, another one later, and none again", async () => {
    const console = await open();
    const { page, dialog, row, observed } = console;
    await page.getByRole("button", { name: "Issue a token" }).first().click();
    await dialog.getByRole("button", { name: "Use my address" }).click();
    await dialog.getByLabel(/^Comment/).fill("limited");
    await dialog.getByLabel(/^Requests per minute/).fill("a lot");
    await dialog.getByRole("button", { name: "Issue token" }).click();
    await dialog.getByText("The rate_limit must be a number.").waitFor();
    await dialog.getByLabel(/^Requests per minute/).fill("1");
    await dialog.getByRole("button", { name: "Issue token" }).click();
    const curlLine = await copyable(dialog, "Try it");
    await takeToken(console);
    // The third at the latest is refused, if a minute ends meanwhile.
    const statuses = [await statusOf(curlLine), await statusOf(curlLine), await statusOf(curlLine)];
    expect(statuses).toContain("429");

    await row("limited").getByRole("link").click();
    await page.getByText("1 request per minute", { exact: true }).waitFor();
    const limitTo = async (limit: string) => {
      await page.getByRole("button", { name: "Edit limit" }).click();
      await dialog.getByLabel(/^Requests per minute/).fill(limit);
      await dialog.getByRole("button", { name: "Save limit" }).click();
    };
    await limitTo("0");
    await dialog.getByText("The rate_limit must be a whole number from 1 to 100000.").waitFor();
    await page.keyboard.press("Escape");
    await limitTo("1200");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("1,200 requests per minute", { exact: true }).waitFor();
    expect(await statusOf(curlLine)).toBe("200");

    await limitTo("");
    await dialog.waitFor({ state: "detached" });
    const history = page.getByRole("listitem").filter({ hasText: /Limit changed by admin@example\.com/ });
    await history.filter({ hasText: "Lifted." }).waitFor();
    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("is copied to the clipboard, whole", async () => {
    const console = await open();
    await issueToken(console, "to be copied");
    await console.dialog.getByRole("button", { name: "Copy: Try it" }).click();
    await console.dialog.getByText("Copied").waitFor();
    const copied = String(await console.page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toBe(await copyable(console.dialog, "Try it"));
    expect(await statusOf(copied)).toBe("200");
  });

  test("that was not copied is not lost by one careless click", async () => {
    const console = await open();
    await issueToken(console, "nearly lost");
    await console.dialog.getByRole("button", { name: "Done" }).click();
    await console.dialog.getByText("You have not copied the token").waitFor();
    await console.dialog.getByRole("button", { name: "Close without a copy" }).click();
    await console.dialog.waitFor({ state: "detached" });
  });

  test("is not issued for what is no address: said at once, in the service's words", async () => {
    const { page, dialog } = await open();
    await page.getByRole("button", { name: "Issue a token" }).first().click();
    await dialog.getByLabel("IP address").fill("10.0.0.0/8");
    await dialog.getByText("The ip must be one address, not a CIDR range.").waitFor();
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
    const { page, dialog, row, act, observed } = await open({ path: "/keys" });
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

    await act(row(keyId), "Replace v_code");
    await dialog.getByRole("button", { name: "Generate" }).click();
    await dialog.getByRole("button", { name: "Replace v_code" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).not.toMatchObject({ v_code: "😀".repeat(64) });

    await act(row(keyId), "Delete");
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ code: "key_not_found" });
    expect(observed.violations).toEqual([]);
    expect(observed.errors).toEqual([]);
  });

  test("that is there with another v_code is refused at its field", async () => {
    await service.call("POST", "/api/v1/key", { form: { key_id: "taken", v_code: "v".repeat(64) } });
    const { page, dialog } = await open({ path: "/keys" });
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("taken");
    await dialog.getByLabel("v_code").fill("w".repeat(64));
    await dialog.getByRole("button", { name: "Add key" }).click();
    await dialog.getByText("The key_id has already been taken.").waitFor();
  });

  test("is found by its whole id, and one that is not there is said to be missing", async () => {
    await service.call("POST", "/api/v1/key", { form: { key_id: "to find", v_code: "v".repeat(64) } });
    const { page } = await open({ path: "/keys" });
    const find = async (keyId: string) => {
      await page.getByRole("searchbox", { name: "The whole key_id" }).fill(keyId);
      await page.getByRole("button", { name: "Find", exact: true }).click();
    };
    await find("to find");
    await page.getByRole("heading", { name: "to find" }).waitFor();
    await page.getByRole("link", { name: /All keys/ }).click();
    await find("not there");
    await page.getByText("There is no key with this key_id.").waitFor();
  });
});

describe("keys beyond one page", () => {
  test("are turned to and back", async () => {
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
  test("the page says so, and goes on when it answers again", async () => {
    const { page } = await open();
    await page.getByRole("table").waitFor();
    await page.route("**/admin/tokens*", (route) =>
      route.fulfill({ status: 503, json: { code: "unavailable", message: "The service cannot reach its data." } }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The tokens could not be loaded").waitFor();
    await page.unroute("**/admin/tokens*");
    await page.getByRole("button", { name: /Try again/ }).click();
    await page.getByText("The tokens could not be loaded").waitFor({ state: "detached" });
  });
});

test("a token is issued by keyboard alone", async () => {
  const { page, dialog } = await open();
  await page.getByRole("table").waitFor();
  const focused = () => page.evaluate("document.activeElement?.innerText?.trim() ?? ''");
  for (let presses = 0; presses < 40 && (await focused()) !== "Issue a token"; presses += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await dialog.getByLabel("IP address").focus();
  await page.keyboard.type("192.0.2.55");
  await page.keyboard.press("Enter");
  await dialog.getByRole("heading", { name: "The token was issued" }).waitFor();
  await dialog.getByText("192.0.2.55").waitFor();
});

const themes = ["light", "dark"] as const;

describe.each(themes)("in %s", (colorScheme) => {
  test.each([390, 1440])("every page fits a window of %i pixels", async (width) => {
    const { token_id } = await service.admin({
      action: "issue",
      ip: "2001:db8::1",
      comment: "c".repeat(60),
      rate_limit: 100_000,
    });
    const { page } = await open({ width, colorScheme });
    for (const path of ["/", `/?token=${token_id}`, "/keys", "/keys?key=taken"]) {
      await page.goto(service.baseUrl + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(width);
    }
  });

  test("no page and no dialog has a serious flaw for those who see, hear or handle it otherwise", async () => {
    const { token_id } = await service.admin({
      action: "issue",
      ip: "192.0.2.9",
      comment: `accessible, ${colorScheme}`,
    });
    const console = await open({ colorScheme, group: "Superuser" });
    const { page, dialog, row } = console;
    const check = async (what: string) => expect(await seriousFlaws(page), what).toEqual([]);
    const inDialog = async (what: string, openDialog: () => Promise<void>) => {
      await openDialog();
      await dialog.waitFor();
      await check(what);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };

    await row(`accessible, ${colorScheme}`).waitFor();
    await check("the tokens");
    await inDialog("issue", () => page.getByRole("button", { name: "Issue a token" }).first().click());
    await inDialog("limit", () => console.act(row(`accessible, ${colorScheme}`), "Edit limit"));
    await inDialog("rotate", () => console.act(row(`accessible, ${colorScheme}`), "Rotate"));
    await inDialog("revoke", () => console.act(row(`accessible, ${colorScheme}`), "Revoke"));
    await page.goto(`${service.baseUrl}/?token=${token_id}`);
    await page.getByRole("heading", { name: "History" }).waitFor();
    await check("a token");
    await page.goto(`${service.baseUrl}/keys`);
    await page.getByRole("table").getByRole("link").first().waitFor();
    await check("the keys");
    await inDialog("add", () => page.getByRole("button", { name: "Add a key" }).first().click());
    await page.goto(`${service.baseUrl}/keys?key=absent`);
    await page.getByText("There is no key with this key_id.").waitFor();
    await check("a key that is not there");
  });

  test("the login has no serious flaw either", async () => {
    const [page] = await newObservedPage(browser, { colorScheme });
    await page.goto(service.baseUrl);
    await page.getByLabel("Password").waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
  });

  test("nor has the page of a user in neither group", async () => {
    const { page } = await openConsole(browser, service, guest, { colorScheme });
    await page.getByText("Ask whoever runs this service").waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
  });
});

test("the first load is below 350 KB in all, whatever it loads on its way", async () => {
  const { page } = await open();
  const sizeOf = async (page: Page): Promise<number> =>
    Number(
      await page.evaluate(
        `performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
          .reduce((sum, { transferSize }) => sum + transferSize, 0)`,
      ),
    );
  await page.getByRole("table").waitFor();
  await page
    .context()
    .newCDPSession(page)
    .then((session) => session.send("Network.setCacheDisabled", { cacheDisabled: true }));
  await page.reload();
  await page.getByRole("table").getByRole("row").nth(1).waitFor();
  expect(await sizeOf(page)).toBeLessThan(350 * 1024);
});
