import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { waitMs } from "../../tools/support/browser.ts";
import { oncePerWorker } from "./once-per-worker.ts";

export interface PageOptions {
  width?: number;
  /** Uses a separate context, as in a new browser: no cookies, no cache. */
  isolated?: boolean;
}

/** Events on a page that are not visible on it. */
export interface Observed {
  requests: Request[];
  /** Violations of the Content-Security-Policy. */
  violations: string[];
  errors: string[];
}

/**
 * Observes a page from the start. A test fails if its page has an error, or violates its Content-Security-Policy. After the
 * test, the page is emptied and reused, or closed if the test failed or the page is isolated.
 */
export const newObservedPage = async (
  browser: Browser,
  { width = 1280, isolated = false }: PageOptions = {},
): Promise<[Page, Observed]> => {
  const context = await (isolated ? newContext(browser) : sharedContext(browser));
  const page = shared.idle.get(context)?.pop() ?? (await createPage(context));
  const observed: Observed = { requests: [], violations: [], errors: [] };
  onTestFinished(async ({ task }) => {
    if (isolated) await context.close();
    else await (task.result?.state === "fail" ? page.close() : release(page));
    expect(observed).toMatchObject({ violations: [], errors: [] });
  });
  await page.setViewportSize({ width, height: windowHeight });
  page.on("request", (request) => observed.requests.push(request));
  page.on("pageerror", (error) => observed.errors.push(error.message));
  shared.violations.set(page, observed.violations);
  return [page, observed];
};

const windowHeight = 900;
const contextOptions = {
  colorScheme: "light",
  reducedMotion: "reduce",
  viewport: { width: 1280, height: windowHeight },
  // A headed browser allows a click to write to the clipboard, but a headless one needs permission. All pages are the project's.
  permissions: ["clipboard-read", "clipboard-write"],
} satisfies BrowserContextOptions;

/** Pages that a worker's tests share, because creating a page takes as long as loading the web interface in it. */
const shared = oncePerWorker("pages", () => ({
  /** One context per browser, which loads and compiles the pages' scripts only once. */
  contexts: new WeakMap<Browser, Promise<BrowserContext>>(),
  /** Empty pages for the next tests. */
  idle: new WeakMap<BrowserContext, Page[]>(),
  /** Where each page's violations are currently recorded. */
  violations: new WeakMap<Page, string[]>(),
}));

const newContext = async (browser: Browser): Promise<BrowserContext> => {
  const context = await browser.newContext(contextOptions);
  context.setDefaultTimeout(waitMs);
  return context;
};

const sharedContext = (browser: Browser): Promise<BrowserContext> => {
  const context = shared.contexts.get(browser) ?? newContext(browser);
  shared.contexts.set(browser, context);
  return context;
};

const createPage = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage();
  await page.exposeFunction("reportViolation", (text: string) => shared.violations.get(page)?.push(text));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => reportViolation(effectiveDirective + " " + blockedURI))`,
  );
  return page;
};

/** Empties a page for the next test, without listeners, routes or stored data. Its history and init scripts remain. */
const release = async (page: Page): Promise<void> => {
  if (page.isClosed()) return;
  for (const event of ["request", "pageerror"]) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.emulateMedia({ media: null, colorScheme: contextOptions.colorScheme });
  await page.evaluate(`if (location.protocol.startsWith("http")) {
    localStorage.clear();
    sessionStorage.clear();
  }
  location.replace("about:blank");`);
  await page.waitForURL("about:blank");
  const context = page.context();
  shared.idle.set(context, [...(shared.idle.get(context) ?? []), page]);
};

/** Waits until the page has been drawn, for example after a change of the window's size. */
const settle = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  })()`);

const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

/** Runs a check on the current page in light and in dark colours. */
const inBothThemes = async <Result>(
  page: Page,
  check: (theme: Theme) => Promise<Result>,
): Promise<Record<string, Result>> => {
  const results: Record<string, Result> = {};
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    results[colorScheme] = await check(colorScheme);
  }
  return results;
};

const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const axeOptions: Record<Theme, object> = {
  // This rule's findings are only moderate, and it checks every element.
  light: { rules: { region: { enabled: false } } },
  // The themes differ only in their colours, so all other rules would find the same again.
  dark: { runOnly: ["color-contrast", "link-in-text-block"] },
};

/**
 * The serious and critical findings of axe on the current page, in each theme. Expect it to be `noFlaws`. With an
 * open dialog, the colours behind it are checked only in the light theme.
 */
export const seriousFlaws = async (page: Page, dialog = "html"): Promise<unknown> => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const scopes: Record<Theme, string> = { light: "html", dark: dialog };
  return inBothThemes(page, (theme) =>
    page.evaluate(
      `axe.run(${JSON.stringify(scopes[theme])}, ${JSON.stringify({ resultTypes: ["violations"], ...axeOptions[theme] })}).then(({ violations }) => violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`,
    ),
  );
};

export const noFlaws = { light: [], dark: [] };

/** Returns how many pixels the page is wider than a window of each width. Expect it to be `noOverflow`. */
export const overflow = async (page: Page): Promise<unknown> => {
  const results: Record<number, unknown> = {};
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: windowHeight });
    await settle(page);
    results[width] = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  }
  return results;
};

export const noOverflow = { 390: 0, 1440: 0 };
