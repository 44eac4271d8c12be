import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { type Console, fillInLogin, signInToConsole } from "../support/console.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf } from "../support/service.ts";
import { ageSession, follow, press, shows, useInterface } from "./web-interface.ts";

const guest = { username: "guest@example.com", password: "correct horse", groups: [] };

const ui = useInterface({ additionalUsers: [guest] });

const signIn = (path: string): Promise<Console> =>
  signInToConsole(ui.browser, ui.service, loginOf(ui.service, "Admin"), { path });

const storedSession = (page: Page): Promise<unknown> => page.evaluate("sessionStorage.getItem('session')");

test("signing in opens the requested page and stores no token for other sites; signing out signs out all tabs", async () => {
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

  await press(page, /^Account of/);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  expect(page.url().startsWith(String(ui.service.loginUrl))).toBe(true);
  await shows(other, "You signed out in another tab of this browser.");
});

test("a wrong password is reported without revealing whether the user exists", async () => {
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

test.each([
  ["Superuser", 1],
  ["Admin", 0],
] as const)("the group %s sees %i links to the documentation on each page", async (group, count) => {
  const { page } = await ui.open("/", { group });
  for (const name of ["Tokens", "Keys"]) {
    await page.getByRole("table", { name }).waitFor();
    expect(await page.locator('a[href*="/api/documentation"]').count()).toBe(count);
    expect((await page.content()).includes("/api/documentation")).toBe(count > 0);
    await follow(page, "API key management");
  }
});

test("a user in neither group sees only whom to contact", async () => {
  const { page } = await signInToConsole(ui.browser, ui.service, guest);
  await shows(page, "Ask the operator of this service");
  expect(await page.getByRole("table").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Invite a client" }).count()).toBe(0);
  expect(await seriousFlaws(page)).toEqual(noFlaws);
});

test("the tab that renews a session does not keep a session", async () => {
  const { page } = await signIn("/keys");
  await page.goto(`${ui.service.baseUrl}/?sign-in=again`);
  await shows(page, "You are signed in");
  expect(await storedSession(page)).toBeNull();
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await follow(page, "start here");
  await page.getByRole("table", { name: "Tokens" }).waitFor();
});

test("a rejected session is renewed for the same user with the entered text, but not for another user", async () => {
  const { page, dialog } = await signIn("/keys");
  await ageSession(page);
  const ended = page.getByRole("dialog").filter({ hasText: "Your session has ended" });
  const addKey = dialog.getByRole("button", { name: "Add key" });
  const isRejected = async () => {
    const reject = (route: Route) => route.fulfill({ status: 401, json: { message: "Unauthorized" } });
    await page.route("**/admin/keys", reject);
    await addKey.click();
    await ended.waitFor();
    await page.unroute("**/admin/keys", reject);
    expect(await storedSession(page)).toBeNull();
  };
  const signInAgain = async (group: string) => {
    // By then, the login's own session has expired, too.
    await page.context().clearCookies();
    const opened = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Sign in again" }).dblclick();
    const tab = await opened;
    const closes = tab.waitForEvent("close");
    await fillInLogin(tab, loginOf(ui.service, group));
    await closes;
    expect(page.context().pages()).toEqual([page]);
  };
  await press(page, "Add a key");
  await dialog.getByLabel("key_id").fill("survivor");
  await dialog.getByLabel("v_code").fill("s".repeat(64));
  await isRejected();
  await signInAgain("Admin");
  await ended.waitFor({ state: "detached" });
  await addKey.click();
  await shows(page, "The key survivor was added.");
  expect(await page.evaluate("JSON.stringify({ ...localStorage })")).toBe("{}");

  await follow(page, "All keys");
  await ageSession(page);
  await press(page, "Add a key");
  await dialog.getByLabel("key_id").fill("of the first user");
  await dialog.getByLabel("v_code").fill("s".repeat(64));
  await isRejected();
  await signInAgain("Superuser");
  await shows(page, "Someone else has signed in");
  expect(await storedSession(page)).toBeNull();
  // The login already knows the other user, but must ask.
  const opened = page.context().waitForEvent("page");
  await follow(page, "Sign in again");
  const again = await opened;
  await again.getByLabel("Password").waitFor();
  await again.close();
  await press(page, "Discard and switch user");
  const { username } = loginOf(ui.service, "Superuser");
  await page.getByRole("button", { name: `Account of ${username}` }).waitFor();
  expect(await page.getByText("of the first user").count()).toBe(0);
});
