import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { requestExampleOf } from "../../lambdas/declaration/request-example.ts";
import { localIssuer } from "../../lambdas/domain/tokens/trust.ts";
import { exchangeToken } from "../../lambdas/v1/exchange-token.ts";
import { logDelivery, requestEvent } from "../lambdas/support/events.ts";
import { type Console, openConsole, useServiceInBrowser } from "../support/console.ts";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf } from "../support/service.ts";

type Started = Parameters<Parameters<typeof useServiceInBrowser>[0]>[0];
type OpenOptions = Omit<NonNullable<Parameters<typeof openConsole>[3]>, "path"> & { group?: string };

/** A client's token. */
interface ClientResponse {
  status: number;
  ip: string;
  token: string;
  code: string;
}

/** The web interface of a test file's shared service, with what admins and clients do. */
export const useInterface = (options?: Parameters<typeof useServiceInBrowser>[1]) => {
  let started: Started;
  useServiceInBrowser((both) => {
    started = both;
  }, options);
  const admin = (action: string, fields: object = {}) => started.service.admin({ action, ...fields });
  const clientCalls = async (path: string, token: string, from: string): Promise<ClientResponse> => {
    const response = await started.service.call("POST", path, { from, token });
    return { status: response.status, ...(response.json() as Omit<ClientResponse, "status">) };
  };
  return {
    get service() {
      return started.service;
    },
    get browser() {
      return started.browser;
    },
    /** Opens a page for a signed-in admin. */
    open: (path = "/", { group = "Admin", ...options }: OpenOptions = {}): Promise<Console> =>
      openConsole(started.browser, started.service, loginOf(started.service, group), { path, ...options }),
    admin,
    issue: async (comment: string, fields: object = {}) => {
      const { token_id, token } = await admin("issue", { ip: "127.0.0.1", comment, ...fields });
      return { path: `/?token=${token_id}`, token_id: String(token_id), token: String(token) };
    },
    /** Trusts a workload of the embedded issuer. */
    trust: async (subject: string, fields: object = {}) => {
      const { trust_id } = await admin("create_trust", { issuer: localIssuer, subject, ...fields });
      return { path: `/?token=${trust_id}`, trust_id: String(trust_id) };
    },
    /** Exchanges a JWT of a trusted workload. */
    exchange: async (subject: string): Promise<string> => {
      const form = {
        ...requestExampleOf(exchangeToken).form,
        subject_token: await started.service.workloadJwt(subject),
      };
      const response = await started.service.call("POST", "/api/v1/token/exchange", { token: null, form });
      return (response.json() as ClientResponse).token;
    },
    invite: async (comment: string, fields: object = {}) => {
      const { token_id, invitation_text } = await admin("invite", { comment, ...fields });
      return { path: `/?token=${token_id}`, token_id: String(token_id), text: String(invitation_text) };
    },
    addKeys: async (...ids: string[]): Promise<void> => {
      for (const key_id of ids) await admin("create_key", { key_id, v_code: "v".repeat(64) });
    },
    stateOf: async (token_id: string): Promise<unknown> => (await admin("get", { token_id })).state,
    redeem: (invitation: string, from: string) => clientCalls("/api/v1/token", invitation, from),
    move: (token: string, from: string) => clientCalls("/api/v1/token/move", token, from),
    use: (token: string, from = "127.0.0.1") => started.service.call("GET", "/api/v1/token", { token, from }),
    /** Counts calls with the correct secret from wrong addresses, a second apart, the last one a second ago. */
    leak: async (token_id: string, ...sources: string[]): Promise<void> => {
      const now = Date.now();
      const refusal = {
        token_id,
        code: "ip_not_allowed",
        status: 403,
        route: "GET /api/v1/key",
        leak_signal: "right secret, wrong address",
      };
      const events = sources.map((source_ip, index) =>
        requestEvent(new Date(now + (index - sources.length) * 1000).toISOString(), { ...refusal, source_ip }),
      );
      await started.service.invoke("usage", logDelivery(events));
    },
    /** Counts a rejected exchange of a workload's JWT. */
    refuseExchange: async (token_id: string, claim: string): Promise<void> => {
      const route = "POST /api/v1/token/exchange";
      const line = { token_id, claim, code: "jwt_refused", status: 403, route, credential: "workload" };
      await started.service.invoke("usage", logDelivery([requestEvent(new Date().toISOString(), line)]));
    },
    /** Waits until this many calls of a token have been counted. */
    counted: async (token_id: string, calls: number): Promise<void> => {
      const count = async () => {
        const { hours } = await admin("usage", { token_id });
        const statuses = (hours as { statuses: Record<string, number> }[]).flatMap(({ statuses }) =>
          Object.values(statuses),
        );
        return statuses.reduce((sum, number) => sum + number, 0);
      };
      await expect.poll(count).toBe(calls);
    },
  };
};

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** A page, or a part of it. */
type Place = Pick<Page, "getByRole" | "getByText">;

/** Presses a button, the first one if several have this name. */
export const press = (place: Place, name: string | RegExp): Promise<void> =>
  place.getByRole("button", { name }).first().click();

/** Follows a link, the first one if several have this name. */
export const follow = (place: Place, name: string | RegExp): Promise<void> =>
  place.getByRole("link", { name }).first().click();

/** Follows a link in the documentation's table of contents. Opens the guide or the reference for it. */
export const followContents = async (page: Page, name: string): Promise<void> => {
  const contents = page.getByRole("navigation", { name: "Contents" });
  const half = contents.locator("details", { has: page.locator("a", { hasText: name }) });
  if ((await half.getAttribute("open")) === null) await half.locator("summary").click();
  await contents.getByRole("link", { name }).click();
};

/** Waits until a place shows a text, which may be part of a longer one. */
export const shows = (place: Place, text: string | RegExp): Promise<void> =>
  place.getByText(text).filter({ visible: true }).first().waitFor();

/** Waits until a place no longer shows a text. */
export const hides = (place: Place, text: string | RegExp): Promise<void> =>
  place.getByText(text).filter({ visible: true }).first().waitFor({ state: "detached" });

/** Waits until a page or a dialog has this title. */
export const titled = (place: Place, name: string | RegExp): Promise<void> =>
  place.getByRole("heading", { name }).first().waitFor();

/** Waits until a dialog has closed. */
export const closed = (dialog: Locator): Promise<void> => dialog.waitFor({ state: "detached" });

/** Chooses an option in a list that opens on a press. The options are outside the dialog that contains the list. */
export const chooseOption = async (place: Page | Locator, list: RegExp, name: string): Promise<void> => {
  await press(place, list);
  const page = "page" in place ? place.page() : place;
  await page.getByRole("option", { name }).first().click();
};

/** Makes requests with matching addresses fail until the returned function is called. */
export const letFail = async (page: Page, pattern: string, { status = 503, method = "" } = {}) => {
  const address = `**/admin/${pattern}`;
  await page.route(address, (route) =>
    method === "" || route.request().method() === method
      ? route.fulfill({ status, json: { message: "The service cannot reach its data." } })
      : route.fallback(),
  );
  return () => page.unroute(address);
};

/** Makes the page's session older. A session that is rejected right at its start is another case. */
export const ageSession = async (page: Page): Promise<void> => {
  // The tab may still be signing in.
  await expect.poll(() => page.evaluate("sessionStorage.getItem('session')")).not.toBeNull();
  await page.evaluate(`sessionStorage.setItem("session",
    JSON.stringify({ ...JSON.parse(sessionStorage.getItem("session")), startedAt: Date.now() - 60_000 }))`);
  await page.reload();
};

/** The names of the rows in the table. */
export const shownRows = (page: Page): Promise<string[]> =>
  page.getByRole("table").getByRole("rowheader").allInnerTexts();

/** The sentences of the history on the page, newest first. */
export const sentences = (page: Page): Promise<string[]> => page.locator(".change-sentence").allInnerTexts();

/** The text of a box with a Copy button. */
export const copyable = (dialog: Locator, label: string): Promise<string> =>
  dialog.getByRole("region", { name: label }).locator("code").innerText();

export const clipboard = async (page: Page): Promise<string> =>
  String(await page.evaluate("navigator.clipboard.readText()"));

/** Presses Tab until something with this name has the focus, and then Enter. */
export const pressByTab = async (page: Page, name: string): Promise<void> => {
  const focused = () =>
    page.evaluate("document.activeElement?.ariaLabel ?? document.activeElement?.innerText?.trim() ?? ''");
  for (let presses = 0; presses < 60 && (await focused()) !== name; presses += 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
};

const widths = [320, 390, 768, 1024, 1440];

/** Returns what is cut off on a page, and what requires sideways scrolling, which only code may. */
const cutOff = (page: Page, scope: string): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(`${scope}, ${scope} *`)})]
    .filter((element) => element.checkVisibility() && !element.closest("pre.code > *, .lines"))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1
      || (!element.matches("pre.code") && element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX)))
    .map(({ outerHTML }) => outerHTML.slice(0, 200))
    .concat(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])`);

interface Looks {
  /** Checks a dialog without the page behind it. */
  scope?: "main" | "[role=dialog]";
  /** The widths to check: those at which the page changes its elements. */
  flawsAt?: readonly number[];
}

/** Replaces times on a page by the longest possible text, because their length otherwise depends on when the test runs. */
const longestTimes = `for (const time of document.querySelectorAll("time.moment"))
  time.firstChild.nodeValue = time.innerText.startsWith("in ") ? "in 58 minutes" : "58 minutes ago";`;

/** Checks that nothing on the page or in its dialog is cut off at any width, and that it has no serious accessibility flaw. */
export const looksRight = async (page: Page, what: string, looks: Looks = {}): Promise<void> => {
  const { scope = "main", flawsAt = [390] } = looks;
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(longestTimes);
    // Some components adapt to the window's width a moment later.
    await expect.poll(() => cutOff(page, scope), { message: `${what} at ${width} px` }).toEqual([]);
    if (!flawsAt.includes(width)) continue;
    expect(await seriousFlaws(page, scope === "main" ? "html" : scope), `${what} at ${width} px`).toEqual(noFlaws);
  }
};
