import type { Login } from "cdk-local-runner";
import type { Browser, Locator, Page } from "playwright-core";
import { newObservedPage, type Observed, type PageOptions } from "./observed-page.ts";
import type { TestService } from "./service.ts";

/** The web interface in a browser, as its users handle it. */
export interface Console {
  page: Page;
  observed: Observed;
  /** The row of a table that has this text. */
  row(text: string): Locator;
  /** The dialog that is open. */
  dialog: Locator;
  /** Chooses an action in the menu of a row. */
  act(row: Locator, action: string): Promise<void>;
}

interface ConsoleOptions extends PageOptions {
  /** The page that is asked for. */
  path?: string;
}

export const loginOf = ({ logins }: TestService, group: string): Login => {
  const login = logins.find(({ groups }) => groups.includes(group));
  if (!login) throw new Error(`nobody is in the group ${group}`);
  return login;
};

/** Fills in the page of the login and sends it. */
export const fillInLogin = async (page: Page, { username, password }: Omit<Login, "groups">): Promise<void> => {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

/** Opens the web interface, and signs in. */
export const openConsole = async (
  browser: Browser,
  service: TestService,
  login: Login,
  { path = "/", ...options }: ConsoleOptions = {},
): Promise<Console> => {
  const [page, observed] = await newObservedPage(browser, options);
  // A browser with a window lets a click write to the clipboard; one without asks, and nobody answers.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.baseUrl });
  await page.goto(service.baseUrl + path);
  await fillInLogin(page, login);
  await page.waitForURL(`${service.baseUrl}/**`);
  await page.getByRole("button", { name: `Account of ${login.username}` }).waitFor();
  return {
    page,
    observed,
    row: (text) => page.getByRole("row").filter({ hasText: text }),
    dialog: page.getByRole("dialog"),
    async act(row, action) {
      await row.getByRole("button", { name: /^Actions on/ }).click();
      await page.getByRole("menuitem", { name: action }).click();
    },
  };
};
