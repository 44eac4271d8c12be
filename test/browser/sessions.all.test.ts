import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Console, signInToConsole } from "../support/console.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf } from "../support/service.ts";
import { ageSession, closed, follow, hides, letFail, press, shows, titled, useInterface } from "./web-interface.ts";

const ui = useInterface();

const signIn = (path: string): Promise<Console> =>
  signInToConsole(ui.browser, ui.service, loginOf(ui.service, "Admin"), { path });

describe("signing in", () => {
  test("can be retried after a failed login, and then leads to the requested page", async () => {
    const { page } = await signIn("/keys?prefix=b");
    await page.evaluate("sessionStorage.removeItem('session')");
    const login = `${ui.service.loginUrl}/oauth2/authorize*`;
    await page.route(login, (route) => {
      const state = new URL(route.request().url()).searchParams.get("state") ?? "";
      const location = `${ui.service.baseUrl}/?${new URLSearchParams({ error: "server_error", state })}`;
      return route.fulfill({ status: 302, headers: { location } });
    });
    await page.reload();
    await shows(page, "The sign-in was rejected");
    await page.unroute(login);
    await press(page, "Try again");
    await page.waitForURL(`${ui.service.baseUrl}/keys?prefix=b`);
    await page.getByRole("table").waitFor();
  });

  test("starts over if the browser's stored data is malformed", async () => {
    const { page } = await signIn("/keys");
    await page.getByRole("table").waitFor();
    await page.evaluate("sessionStorage.setItem('login.endpoints', '{')");
    await page.goto(`${ui.service.baseUrl}/?state=other&code=other`);
    await page.getByRole("table").waitFor();
    await page.evaluate("sessionStorage.clear(); sessionStorage.setItem('login.endpoints', '{')");
    await page.goto(`${ui.service.baseUrl}/?state=other&code=other`);
    await shows(page, "The sign-in was not completed");
  });

  test("explains in plain words that the service cannot be reached", async () => {
    const [page] = await newObservedPage(ui.browser);
    await page.goto(`${ui.service.baseUrl}/nowhere`);
    await page.route("**/settings.json", (route) => route.abort());
    await page.goto(`${ui.service.baseUrl}/keys`);
    await shows(page, "The service cannot be reached");
    await shows(page, "There was no response.");
    expect(await page.title()).toBe("The service cannot be reached – Integration API");
    expect(await seriousFlaws(page)).toEqual(noFlaws);
  });
});

describe("the end of a session", () => {
  const unauthorized = (route: Route) => route.fulfill({ status: 401, json: { message: "Unauthorized" } });
  const endedDialog = (page: Page) => page.getByRole("dialog").filter({ hasText: "Your session has ended" });

  /** Signs in again in the tab that the dialog opens, which then closes automatically. */
  const signInAgain = async (page: Page): Promise<void> => {
    const opened = page.context().waitForEvent("page");
    await follow(endedDialog(page), "Sign in again");
    const tab = await opened;
    if (!tab.isClosed()) await tab.waitForEvent("close");
  };

  test("affects all tabs, and one sign-in restores all of them and loads what they missed", async () => {
    const { page } = await signIn("/keys");
    const context = page.context();
    const other = await context.newPage();
    await other.goto(`${ui.service.baseUrl}/keys`);
    for (const tab of [page, other]) {
      await ageSession(tab);
      await tab.getByRole("table").waitFor();
    }
    await context.route("**/admin/**", unauthorized);
    for (const tab of [page, other]) {
      await press(tab, "Refresh");
      await endedDialog(tab).waitFor();
      await shows(tab, "The keys could not be refreshed");
    }
    await context.unroute("**/admin/**");
    await signInAgain(page);
    for (const tab of [page, other]) {
      await endedDialog(tab).waitFor({ state: "detached" });
      await hides(tab, "The keys could not be refreshed");
    }
  });

  test("stops all requests after an hour, can be dismissed, and is mentioned until the user signs in", async () => {
    await ui.invite("outstanding without a session");
    const { page, observed, row } = await signIn("/");
    await page.clock.install();
    await page.reload();
    await row("outstanding without a session").waitFor();
    await page.clock.fastForward("01:00:00");
    await endedDialog(page).waitFor();
    await page.keyboard.press("Escape");
    await closed(endedDialog(page));
    await shows(page, "Your session has ended. The data on this page was loaded before that.");
    const before = observed.requests.length;
    await page.clock.runFor(600_000);
    expect(observed.requests.length).toBe(before);
    expect(await endedDialog(page).count()).toBe(0);

    await press(page, "Sign in again");
    await signInAgain(page);
    await hides(page, "Your session has ended");
  });

  test.each([
    ["its hour is over", (page: Page) => page.clock.fastForward("01:00:00"), "Your session has ended"],
    [
      "the user signs out in another tab",
      (page: Page) => page.evaluate(`new BroadcastChannel("session").postMessage("signed-out")`),
      "You signed out in another tab of this browser.",
    ],
  ])("is delayed while a new, uncopied token is shown, although %s", async (_, end, message) => {
    const { page, dialog } = await signIn("/");
    await page.clock.install();
    await page.reload();
    await press(page, "Issue a token");
    await press(dialog, "Use my address");
    await press(dialog, "Issue token");
    await dialog.getByRole("button", { name: "Copy: Token" }).waitFor();
    await end(page);
    expect(await page.getByText(message).count()).toBe(0);

    await press(dialog, "Done");
    await press(dialog, "Close without copying");
    await shows(page, message);
  });

  test("is reported as a problem that signing in cannot solve if it comes right after the sign-in", async () => {
    const { page } = await signIn("/keys");
    await page.getByRole("table").waitFor();
    await page.route("**/admin/**", unauthorized);
    await press(page, "Refresh");
    await shows(page, "The service does not accept the sign-in");
  });

  test("can be dismissed by Back, which leaves the form below it open", async () => {
    const { path } = await ui.issue("half edited");
    const { page, dialog } = await ui.open(path);
    await ageSession(page);
    await press(page, "Edit");
    await dialog.getByLabel(/^Comment/).fill("half of an edit");
    await letFail(page, "tokens/**", { status: 401 });
    await press(dialog, "Save changes");
    await titled(page, "Your session has ended");
    await page.goBack();
    await endedDialog(page).waitFor({ state: "detached" });
    expect(await dialog.getByLabel(/^Comment/).inputValue()).toBe("half of an edit");
    expect(page.url()).toBe(ui.service.baseUrl + path);
  });
});
