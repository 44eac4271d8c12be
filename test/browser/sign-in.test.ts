import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Console, fillInLogin, signInToConsole } from "../support/console.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf } from "../support/service.ts";
import { ageSession, useInterface } from "./web-interface.ts";

const guest = { username: "guest@example.com", password: "correct horse", groups: [] };

const ui = useInterface({ additionalUsers: [guest] });

const signIn = (path: string) => signInToConsole(ui.browser, ui.service, loginOf(ui.service, "Admin"), { path });

describe("signing in", () => {
  test("leads to the requested page, survives a reload, and ends when the user signs out, in all tabs", async () => {
    const { page, observed } = await signIn("/keys?key=some%20key#top");
    expect(page.url()).toBe(`${ui.service.baseUrl}/keys?key=some%20key#top`);
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).not.toMatch(/token|eyJ/);
    expect(await page.evaluate("document.cookie")).toBe("");
    // The browser requests the login's addresses once, before the user has signed in.
    expect(observed.requests.filter((request) => request.url().includes("openid-configuration"))).toHaveLength(1);
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${ui.service.baseUrl}/keys`);
    await other.getByRole("table").waitFor();

    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    expect(page.url().startsWith(String(ui.service.loginUrl))).toBe(true);
    await other.getByText("You signed out in another tab of this browser.").waitFor();
  });

  test("with a wrong password reports it without revealing whether the user exists", async () => {
    const [page] = await newObservedPage(ui.browser, { isolated: true });
    const messages = [];
    for (const username of [loginOf(ui.service, "Admin").username, "nobody@example.com"]) {
      await page.goto(ui.service.baseUrl);
      await fillInLogin(page, { username, password: "wrong" });
      messages.push(await page.getByRole("alert").innerText());
    }
    expect(messages[0]).toMatch(/\w/);
    expect(messages[1]).toBe(messages[0]);
  });

  test("can be tried again after a failed login, and then leads to the requested page", async () => {
    const { page } = await signIn("/keys?prefix=b");
    await page.evaluate("sessionStorage.removeItem('session')");
    await page.route(`${ui.service.loginUrl}/oauth2/authorize*`, (route) => {
      const { searchParams } = new URL(route.request().url());
      const response = new URLSearchParams({ error: "server_error", state: searchParams.get("state") ?? "" });
      return route.fulfill({ status: 302, headers: { location: `${ui.service.baseUrl}/?${response}` } });
    });
    await page.reload();
    await page.getByText("The login refused to sign you in").waitFor();
    await page.unroute(`${ui.service.loginUrl}/oauth2/authorize*`);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/keys?prefix=b`);
    await page.getByRole("table").waitFor();
  });

  test("starts over if the browser's stored data is malformed", async () => {
    const { page } = await signIn("/keys");
    await page.getByRole("table").waitFor();
    await page.evaluate("sessionStorage.setItem('login.departure', '{')");
    await page.goto(`${ui.service.baseUrl}/?state=other&code=other`);
    await page.getByRole("table").waitFor();
    await page.evaluate("sessionStorage.clear(); sessionStorage.setItem('login.departure', '{')");
    await page.goto(`${ui.service.baseUrl}/?state=other&code=other`);
    await page.getByText("The sign-in was not completed").waitFor();
  });

  test("reports in plain words that the service cannot be reached", async () => {
    const [page] = await newObservedPage(ui.browser);
    await page.goto(`${ui.service.baseUrl}/nowhere`);
    await page.route("**/settings.json", (route) => route.abort());
    await page.goto(`${ui.service.baseUrl}/keys`);
    await page.getByText("The service cannot be reached").first().waitFor();
    await page.getByText("There was no response.").waitFor();
    expect(await page.title()).toBe("The service cannot be reached – Integration API");
    expect(await seriousFlaws(page)).toEqual(noFlaws);
  });

  test.each([
    ["Superuser", 1],
    ["Admin", 0],
  ] as const)("as %s shows %i links to the documentation", async (group, count) => {
    const { page } = await ui.open("/", { group });
    for (const name of ["Tokens", "Keys"]) {
      await page.getByRole("table", { name }).waitFor();
      expect(await page.locator('a[href*="/api/documentation"]').count()).toBe(count);
      expect((await page.content()).includes("/api/documentation")).toBe(count > 0);
      await page.getByRole("link", { name: "API key management" }).click();
    }
  });

  test("as a user in neither group shows only whom to ask, without a serious accessibility flaw", async () => {
    const { page } = await signInToConsole(ui.browser, ui.service, guest);
    await page.getByText("Ask the operator of this service").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Invite a client" }).count()).toBe(0);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
  });
});

describe("a session that ends", () => {
  const unauthorized = (route: Route) => route.fulfill({ status: 401, json: { message: "Unauthorized" } });
  const endedDialog = (page: Page) => page.getByRole("dialog").filter({ hasText: "Your session has ended" });

  /** Opens a page whose session began some time ago. */
  const openAged = async (path: string): Promise<Console> => {
    const console = await signIn(path);
    await ageSession(console.page);
    await console.page.getByRole("table").waitFor();
    return console;
  };

  /** Presses the button, and returns the window that opens. */
  const openWindow = async (page: Page): Promise<Page> => {
    const opened = page.context().waitForEvent("page");
    await page.getByRole("button", { name: "Sign in again" }).click();
    return opened;
  };

  const closed = async (window: Page): Promise<void> => {
    if (!window.isClosed()) await window.waitForEvent("close");
  };

  test("keeps entered data, which the same button sends after signing in again in a window that closes itself", async () => {
    const { page, dialog } = await openAged("/keys");
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("survivor");
    await dialog.getByLabel("v_code").fill("s".repeat(64));
    await page.route("**/admin/keys", unauthorized);
    await dialog.getByRole("button", { name: "Add key" }).click();
    await endedDialog(page).waitFor();
    expect(await seriousFlaws(page, "[role=dialog]")).toEqual(noFlaws);
    expect(await page.evaluate("sessionStorage.getItem('session')")).toBeNull();
    await page.unroute("**/admin/keys");

    // By then, the login's own session has expired, too.
    await page.context().clearCookies();
    const opened = page.context().waitForEvent("page");
    await page.getByRole("button", { name: "Sign in again" }).dblclick();
    const window = await opened;
    await fillInLogin(window, loginOf(ui.service, "Admin"));
    await closed(window);
    expect(page.context().pages()).toEqual([page]);
    await endedDialog(page).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Add key" }).click();
    await page.getByText("The key survivor was added.").first().waitFor();
    expect(page.url()).toBe(`${ui.service.baseUrl}/keys`);
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).toBe("{}");
  });

  test("ends in all tabs, and one sign-in restores all of them and loads what they missed", async () => {
    const { page } = await openAged("/keys");
    const context = page.context();
    const other = await context.newPage();
    await other.goto(`${ui.service.baseUrl}/keys`);
    await other.getByRole("table").waitFor();
    await ageSession(other);
    await other.getByRole("table").waitFor();

    await context.route("**/admin/**", unauthorized);
    for (const tab of [page, other]) {
      await tab.getByRole("button", { name: "Refresh" }).click();
      await endedDialog(tab).waitFor();
      await tab.getByText("The keys could not be refreshed").waitFor();
    }
    await context.unroute("**/admin/**");
    await closed(await openWindow(page));
    for (const tab of [page, other]) {
      await endedDialog(tab).waitFor({ state: "detached" });
      await tab.getByText("The keys could not be refreshed").waitFor({ state: "detached" });
    }
  });

  test("after its hour can be dismissed, and a message remains until the user has signed in", async () => {
    const { page } = await signIn("/keys");
    await page.clock.install();
    await page.reload();
    await page.getByRole("table").waitFor();
    await page.clock.fastForward("01:00:00");
    await endedDialog(page).waitFor();
    await page.keyboard.press("Escape");
    await endedDialog(page).waitFor({ state: "detached" });
    await page.getByText("Your session has ended. The data on this page was loaded before that.").waitFor();

    await page.getByRole("button", { name: "Sign in again" }).click();
    await closed(await openWindow(page));
    await page.getByText("Your session has ended").waitFor({ state: "detached" });
  });

  test.each([
    ["its hour is over", (page: Page) => page.clock.fastForward("01:00:00"), "Your session has ended"],
    [
      "the user signs out in another tab",
      (page: Page) => page.evaluate(`new BroadcastChannel("session").postMessage("signed-out")`),
      "You signed out in another tab of this browser.",
    ],
  ])("waits while a new, uncopied token is shown, although %s", async (_, end, message) => {
    const { page, dialog } = await signIn("/");
    await page.clock.install();
    await page.reload();
    await page.getByRole("button", { name: "Issue a token" }).first().click();
    await dialog.getByRole("button", { name: "Use my address" }).click();
    await dialog.getByRole("button", { name: "Issue token" }).click();
    await dialog.getByRole("button", { name: "Copy: Token" }).waitFor();
    await end(page);
    expect(await page.getByText(message).count()).toBe(0);

    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.getByRole("button", { name: "Close without copying" }).click();
    await page.getByText(message).first().waitFor();
  });

  test("can be renewed in a new tab if the browser blocks the window", async () => {
    const { page } = await openAged("/keys");
    await page.route("**/admin/**", unauthorized);
    await page.getByRole("button", { name: "Refresh" }).click();
    await endedDialog(page).waitFor();
    await page.unroute("**/admin/**");
    await page.evaluate("window.open = () => null");
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByText("The browser blocked the sign-in window").first().waitFor();
    const opened = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Sign in in a new tab" }).click();
    const tab = await opened;
    await endedDialog(page).waitFor({ state: "detached" });
    await closed(tab);
  });

  test("leaves no session in the renewal window, which stays open if no page waits for it", async () => {
    const { page } = await signIn("/keys");
    await page.goto(`${ui.service.baseUrl}/?sign-in=again`);
    await page.getByText("You are signed in").waitFor();
    expect(await page.evaluate("sessionStorage.getItem('session')")).toBeNull();
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.getByRole("link", { name: "start here" }).click();
    await page.getByRole("table", { name: "Tokens" }).waitFor();
  });

  test("does not continue for another user, who can take over the page only without the entered data", async () => {
    const { page, dialog } = await openAged("/keys");
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("of the first user");
    await dialog.getByLabel("v_code").fill("s".repeat(64));
    await page.route("**/admin/keys", unauthorized);
    await dialog.getByRole("button", { name: "Add key" }).click();
    await endedDialog(page).waitFor();
    await page.unroute("**/admin/keys");
    await page.context().clearCookies();
    const window = await openWindow(page);
    await fillInLogin(window, loginOf(ui.service, "Superuser"));
    await closed(window);
    await page.getByText("Someone else has signed in").first().waitFor();
    expect(await page.evaluate("sessionStorage.getItem('session')")).toBeNull();

    // The login already knows the other user, but must ask.
    const again = await openWindow(page);
    await again.getByLabel("Password").waitFor();
    await again.close();
    await page.getByRole("button", { name: "Discard and switch user" }).click();
    const { username } = loginOf(ui.service, "Superuser");
    await page.getByRole("button", { name: `Account of ${username}` }).waitFor();
    expect(await page.getByText("of the first user").count()).toBe(0);
  });

  test("immediately after it began is reported as a problem that signing in again would not solve", async () => {
    const { page } = await signIn("/keys");
    await page.getByRole("table").waitFor();
    await page.route("**/admin/**", unauthorized);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The service does not accept the sign-in").waitFor();
  });
});
