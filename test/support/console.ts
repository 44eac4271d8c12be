import type { Login } from "cdk-local-runner";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startBrowser } from "../../tools/support/browser.ts";
import { newObservedPage, type Observed, type PageOptions } from "./observed-page.ts";
import { oncePerWorker } from "./once-per-worker.ts";
import { type OwnService, sharedService, startService, type TestService } from "./service.ts";

/** The web interface in a browser. */
export interface Console {
  page: Page;
  observed: Observed;
  /** Returns the table row with this text. */
  row(text: string): Locator;
  /** Returns the open dialog. */
  dialog: Locator;
  /** Chooses an action in a row's menu. */
  choose(row: Locator, action: string): Promise<void>;
}

interface ConsoleOptions extends PageOptions {
  /** The page to open. */
  path?: string;
  /** Called before the page is opened, for example to intercept its requests. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Fills in the login page and submits it. */
export const fillInLogin = async (page: Page, { username, password }: Omit<Login, "groups">): Promise<void> => {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

/** Opens the web interface in a new browser context and signs in. */
export const signInToConsole = async (
  browser: Browser,
  service: TestService,
  login: Login,
  { path = "/", ...options }: Omit<ConsoleOptions, "isolated" | "prepare"> = {},
): Promise<Console> => {
  const [page, observed] = await newObservedPage(browser, { ...options, isolated: true });
  await page.goto(service.baseUrl + path);
  await fillInLogin(page, login);
  return consoleOf(page, observed, login);
};

/** Opens the web interface with a session that this user already has. */
export const openConsole = async (
  browser: Browser,
  service: TestService,
  login: Login,
  { path = "/", prepare, ...options }: ConsoleOptions = {},
): Promise<Console> => {
  const session = await sessionOf(browser, service, login);
  const [page, observed] = await newObservedPage(browser, options);
  await prepare?.(page);
  const storing = await page.addInitScript(
    `if (location.origin === ${JSON.stringify(service.baseUrl)}) {
      localStorage.clear();
      sessionStorage.clear();
      sessionStorage.setItem("session", ${JSON.stringify(session)});
    }`,
  );
  await page.goto(service.baseUrl + path);
  await storing.dispose();
  return consoleOf(page, observed, login);
};

/** Waits until a form accepts keys: its first field gets the focus a moment after the dialog has opened. */
export const focusInForm = (dialog: Locator): Promise<void> => dialog.locator("input:focus").waitFor();

const renewBeforeMs = 20 * 60_000;

/** Returns a user's session in the web interface's storage format. All tests share one sign-in, until its hour is nearly over. */
const sessionOf = async (browser: Browser, service: TestService, login: Login): Promise<string> => {
  const sessions = oncePerWorker("sessions", () => new WeakMap<Login, string>());
  const earlier = sessions.get(login);
  if (earlier && JSON.parse(earlier).expiresAt - Date.now() > renewBeforeMs) return earlier;
  const { page } = await signInToConsole(browser, service, login);
  const session = String(await page.evaluate("sessionStorage.getItem('session')"));
  sessions.set(login, session);
  return session;
};

const consoleOf = async (page: Page, observed: Observed, { username }: Login): Promise<Console> => {
  await page.getByRole("button", { name: `Account of ${username}` }).waitFor();
  return {
    page,
    observed,
    row: (text) => page.getByRole("row").filter({ hasText: text }),
    dialog: page.getByRole("dialog"),
    async choose(row, action) {
      await row.getByRole("button", { name: /^Actions on/ }).click();
      await page.getByRole("menuitem", { name: action }).click();
    },
  };
};

interface ServiceInBrowser {
  service: TestService;
  browser: Browser;
}

/** The browser that a worker's test files share. It ends with the worker. */
export const sharedBrowser = (): Promise<Browser> => oncePerWorker("browser", () => startBrowser());

/** Provides a browser and a service before a file's tests: the worker's shared service, or a separate one with options. */
export const useServiceInBrowser = (
  onStart: (started: ServiceInBrowser) => void,
  options?: Parameters<typeof startService>[0],
): void => {
  let ownService: OwnService | undefined;
  beforeAll(async () => {
    if (options) ownService = await startService(options);
    onStart({ service: ownService ?? (await sharedService()), browser: await sharedBrowser() });
  });
  afterAll(() => ownService?.close());
};
