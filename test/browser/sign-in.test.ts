import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { fillInLogin, openConsole, signInToConsole } from "../support/console.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf, startService, type TestService } from "../support/service.ts";

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

const signIn = (path: string) => signInToConsole(browser, service, loginOf(service, "Admin"), { path });

describe("signing in", () => {
  test("leads to the requested page, from which the user can sign out", async () => {
    const { page, observed } = await signIn("/keys?key=some%20key#top");
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

  test("with a wrong password says so, without revealing whether the user exists", async () => {
    const [page] = await newObservedPage(browser, { isolated: true });
    const messages = [];
    for (const username of [loginOf(service, "Admin").username, "nobody@example.com"]) {
      await page.goto(service.baseUrl);
      await fillInLogin(page, { username, password: "wrong" });
      messages.push(await page.getByRole("alert").innerText());
    }
    expect(messages[0]).toMatch(/\w/);
    expect(messages[1]).toBe(messages[0]);
  });

  test("survives a reload, and is needed again when the service refuses the session", async () => {
    const { page } = await signIn("/keys");
    await page.reload();
    await page.getByRole("heading", { name: "Keys" }).waitFor();

    // A session that began some time ago and is no longer accepted by the service.
    await page.evaluate(`
      const session = JSON.parse(sessionStorage.getItem("session"));
      const accessToken = session.accessToken.replace(/.{8}$/, "damaged0");
      sessionStorage.setItem("session", JSON.stringify({ ...session, accessToken, startedAt: Date.now() - 60_000 }));`);
    const atLogin = page.waitForRequest((request) => request.url().startsWith(String(service.loginUrl)));
    await page.reload();
    await atLogin;
    await page.waitForURL(`${service.baseUrl}/keys`);
    await page.getByRole("table").waitFor();
  });

  test("is needed again when the session expires, and returns to the same place", async () => {
    const { page } = await signIn("/keys?key=later");
    await page.clock.install();
    await page.reload();
    await page.getByRole("heading", { name: "later" }).waitFor();
    // The login's own session has expired by then, too.
    await page.context().clearCookies();
    await page.clock.fastForward("01:00:00");
    await fillInLogin(page, loginOf(service, "Admin"));
    await page.waitForURL(`${service.baseUrl}/keys?key=later`);
    await page.getByRole("heading", { name: "later" }).waitFor();
  });

  test("out in one tab signs the user out in the others", async () => {
    const { page } = await signIn("/");
    const other = await page.context().newPage();
    await other.goto(`${service.baseUrl}/keys`);
    await other.getByRole("table").waitFor();

    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await other.getByText("You signed out in another tab of this browser.").waitFor();
  });

  test.each([
    ["Superuser", 1],
    ["Admin", 0],
  ] as const)("as %s shows %i links to the documentation", async (group, count) => {
    const { page } = await openConsole(browser, service, loginOf(service, group));
    for (const name of ["Tokens", "Keys"]) {
      await page.getByRole("table", { name }).waitFor();
      expect(await page.locator('a[href*="/api/documentation"]').count()).toBe(count);
      expect((await page.content()).includes("/api/documentation")).toBe(count > 0);
      await page.getByRole("link", { name: "API key management" }).click();
    }
  });

  test("as a user in neither group shows only whom to ask, with no serious accessibility flaw", async () => {
    const { page } = await signInToConsole(browser, service, guest);
    await page.getByText("Ask the operator of this service").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Issue a token" }).count()).toBe(0);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
  });
});

test("the login page has no serious accessibility flaw", async () => {
  const [page] = await newObservedPage(browser, { isolated: true });
  await page.goto(service.baseUrl);
  await page.getByLabel("Password").waitFor();
  expect(await seriousFlaws(page)).toEqual(noFlaws);
});
