import { readFile } from "node:fs/promises";
import type { Browser, Page, Request } from "playwright-core";
import { onTestFinished } from "vitest";

export interface PageOptions {
  width?: number;
  colorScheme?: "light" | "dark";
}

/** What happens on a page besides what it shows. */
export interface Observed {
  requests: Request[];
  /** What the Content-Security-Policy kept from happening. */
  violations: string[];
  errors: string[];
}

/** A page in a browser without a history, watched from before its first load; closed when the test is over. */
export const newObservedPage = async (
  browser: Browser,
  { width = 1280, colorScheme = "light" }: PageOptions = {},
): Promise<[Page, Observed]> => {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const observed: Observed = { requests: [], violations: [], errors: [] };
  page.on("request", (request) => observed.requests.push(request));
  page.on("pageerror", (error) => observed.errors.push(error.message));
  await page.exposeFunction("tellViolation", (text: string) => observed.violations.push(text));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => tellViolation(effectiveDirective + " " + blockedURI))`,
  );
  return [page, observed];
};

const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe finds on the page as it stands that is serious or critical for those who see, hear or handle it otherwise. */
export const seriousFlaws = async (page: Page): Promise<unknown> =>
  page.evaluate(
    `${axe}; axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`,
  );
