import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { startSignIn } from "cdk-local-runner/parts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { sharedBrowser } from "../support/console.ts";

let dataDirectory: string;
let service: LocalService;
let browser: Browser;
let axe: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "local-login-pages-"));
  service = await startLocalService({ port: 0, dataDirectory, assembly: inject("assemblyDirectory") });
  browser = await sharedBrowser();
  axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
});
afterAll(async () => {
  await service.close();
  await rm(dataDirectory, { recursive: true });
});

const axeResult = z.object({ violations: z.array(z.object({ id: z.string() })) });

const assertAccessible = async (page: Page) => {
  const result: unknown = await page.evaluate(`${axe}; axe.run()`);
  expect(axeResult.parse(result).violations).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
};

/** A page in the size of a phone, and what its content security policy has blocked. */
const openPage = async (colorScheme: "light" | "dark") => {
  const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const blocked: string[] = [];
  page.context().on("console", (message) => {
    if (message.text().includes("Content Security Policy")) blocked.push(message.text());
  });
  return { page, blocked };
};

test.each(["light", "dark"] as const)("the pages are accessible on a phone, in %s colours", async (colorScheme) => {
  const { page, blocked } = await openPage(colorScheme);
  await page.goto(startSignIn(service).address);
  await assertAccessible(page);

  await page.getByLabel("User name").fill("admin@example.com");
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await assertAccessible(page);

  await page.goto(`${service.loginUrl}/oauth2/authorize?client_id=other`);
  await page.getByRole("heading", { name: "This login cannot go on" }).waitFor();
  await assertAccessible(page);
  expect(blocked).toEqual([]);
});

test("a browser returns signed in, and returns signed out with or without a session", async () => {
  const { page, blocked } = await openPage("light");
  const [login] = service.logins;
  const signOut = new URL(`${service.loginUrl}/logout`);
  signOut.searchParams.set("client_id", service.loginClientIds[0] ?? "");
  signOut.searchParams.set("post_logout_redirect_uri", `${service.baseUrl}/`);

  await page.goto(startSignIn(service).address);
  await page.getByLabel("User name").fill(login?.username ?? "");
  await page.getByLabel("Password").fill(login?.password ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${service.baseUrl}/?code=*`);

  // The web interface in this page may be about to go elsewhere.
  const context = page.context();
  await page.close();
  for (const _ of ["with a session", "without one"]) {
    const other = await context.newPage();
    await other.goto(signOut.href);
    await other.waitForURL(`${service.baseUrl}/`);
    await other.close();
  }
  expect(blocked).toEqual([]);
});
