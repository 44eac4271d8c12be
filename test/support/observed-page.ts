import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { onTestFinished } from "vitest";

export interface PageOptions {
  width?: number;
  /** A context of its own, as in a browser that has never been here: no cookies, no cache. */
  isolated?: boolean;
}

/** What happens on a page besides what it shows. */
export interface Observed {
  requests: Request[];
  /** What the Content-Security-Policy prevented. */
  violations: string[];
  errors: string[];
}

/** A page that is observed from before its first load, and closed when the test is over. */
export const newObservedPage = async (
  browser: Browser,
  { width = 1280, isolated = false }: PageOptions = {},
): Promise<[Page, Observed]> => {
  const context = isolated ? await browser.newContext(contextOptions) : await sharedContext(browser);
  const page = await context.newPage();
  onTestFinished(() => (isolated ? context.close() : page.close()));
  await page.setViewportSize({ width, height: windowHeight });
  const observed: Observed = { requests: [], violations: [], errors: [] };
  page.on("request", (request) => observed.requests.push(request));
  page.on("pageerror", (error) => observed.errors.push(error.message));
  await page.exposeFunction("reportViolation", (text: string) => observed.violations.push(text));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => reportViolation(effectiveDirective + " " + blockedURI))`,
  );
  return [page, observed];
};

const windowHeight = 900;
const contextOptions = { colorScheme: "light", reducedMotion: "reduce" } as const;
const sharedContexts = new WeakMap<Browser, Promise<BrowserContext>>();

/** One context for all tests of a browser: it has loaded and compiled the scripts of the pages already. */
const sharedContext = (browser: Browser): Promise<BrowserContext> => {
  const context = sharedContexts.get(browser) ?? browser.newContext(contextOptions);
  sharedContexts.set(browser, context);
  return context;
};

/** Waits until the page is drawn as it is now, for example after the window has changed its size. */
const settle = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  })()`);

const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

/** Runs a check on the page as it stands, in light and in dark colours. */
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

/** The themes differ in their colours only, so that the other rules would find the same again. */
const axeOptions: Record<Theme, object> = { light: {}, dark: { runOnly: ["color-contrast", "link-in-text-block"] } };

/**
 * What axe finds on the page as it stands that is serious or critical, in each theme. Expect it to be `noFlaws`. With a
 * dialog open, the colours of what is behind it are checked in light only.
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

/** How far the page is wider than a window of each width, in pixels and in each theme. Expect it to be `noOverflow`. */
export const overflow = async (page: Page): Promise<unknown> => {
  const results: Record<number, unknown> = {};
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: windowHeight });
    results[width] = await inBothThemes(page, () =>
      page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    );
  }
  return results;
};

export const noOverflow = { 390: { light: 0, dark: 0 }, 1440: { light: 0, dark: 0 } };
