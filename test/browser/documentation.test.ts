import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guideChapters } from "../../infra/build/site/documents.ts";
import { addresses } from "../../lambdas/addresses.ts";
import { sharedBrowser } from "../support/console.ts";
import { type DocumentationService, startDocumentationService } from "../support/documentation-service.ts";
import { newObservedPage, noFlaws, type Observed, type PageOptions, seriousFlaws } from "../support/observed-page.ts";
import { clipboard, looksRight } from "./web-interface.ts";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

let service: DocumentationService;
let browser: Browser;
let token: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startDocumentationService(), sharedBrowser()]);
  token = await service.issueToken();
});
afterAll(() => service?.close());

const openPage = async (options?: PageOptions): Promise<[Page, Observed]> => {
  const [page, observed] = await newObservedPage(browser, options);
  await page.goto(`${service.baseUrl}/api/documentation`);
  return [page, observed];
};

const main = (page: Page): Locator => page.getByRole("main");

/** Follows a link in the table of contents. */
const follow = async (page: Page, name: string): Promise<void> => {
  await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name }).click();
  await main(page).getByRole("heading", { level: 1, name }).waitFor();
};

/** Fills in the form of the operation that the page shows. */
const enter = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [field, value] of Object.entries(fields)) await main(page).getByLabel(field, { exact: true }).fill(value);
};

/** Sends the call and returns what the page shows as its response, once it shows this status. */
const send = async (page: Page, status: number): Promise<string> => {
  await page.getByRole("button", { name: "Send this call" }).click();
  const outcome = page.locator(".outcome");
  await outcome.locator(".status", { hasText: String(status) }).waitFor();
  return (await outcome.textContent()) ?? "";
};

const samplesOf = (page: Page): Locator => page.locator(".samples").first();

describe("the documentation page", () => {
  test("lists every endpoint of the description, with the limits of each field, and every chapter of the guide", async () => {
    const [page] = await openPage();
    const { paths } = JSON.parse(await readFile(service.descriptionFile, "utf8"));
    const operations = Object.values<Record<string, { summary: string }>>(paths).flatMap((path) => Object.values(path));
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.waitFor();

    expect(await contents.getByRole("link").count()).toBe(operations.length + (await guideChapters()).length);
    for (const { summary } of operations) expect(await contents.getByRole("link", { name: summary }).count()).toBe(1);
    expect(await page.title()).toBe("API documentation");
    await follow(page, "Create a key");
    expect(await page.locator(".field", { has: page.getByLabel("key_id") }).textContent()).toMatch(
      /required.*string, 1 to 255 characters(.|\n)*Pattern/,
    );
  });

  test("creates a key, shows a refusal and deletes the key with a token, as a client would, and stores the token nowhere", async () => {
    const [page, { requests }] = await openPage();
    await follow(page, "Create a key");
    await enter(page, { "Your token": token, key_id: "tried", v_code: "v".repeat(64) });
    const created = await send(page, 201);
    expect(created).toContain('"key_id": "tried"');
    expect(created).toContain("location: /api/v1/key/tried");

    await enter(page, { v_code: "short" });
    expect(await send(page, 422)).toContain("The v_code must be 64 characters.");

    await follow(page, "Delete a key");
    await enter(page, { key_id: "tried" });
    await send(page, 204);
    const deletion = requests.find((request) => request.method() === "DELETE");
    expect(deletion?.headers()).toMatchObject({
      accept: "application/json",
      "x-token": token,
      "x-sent-path": "/api/v1/key/tried",
    });

    const stored = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])";
    expect(await page.evaluate(stored)).toBe('[{},{},""]');
    expect(page.url()).not.toContain(token);
    const elsewhere = requests.map((request) => request.url()).filter((url) => !url.startsWith(service.baseUrl));
    expect(elsewhere.filter((url) => !url.startsWith("data:"))).toEqual([]);
  });

  test("redeems an invitation once an admin has confirmed it, warns about the new token, and goes on with it", async () => {
    const { token_id, invitation_text } = await service.admin({ action: "invite" });
    const [page] = await openPage();
    await follow(page, "Redeem an invitation");
    await enter(page, { "Your invitation": String(invitation_text) });
    await samplesOf(page).getByText(String(invitation_text)).waitFor();
    expect(await main(page).textContent()).toContain("a new token, which is a secret");

    const asked = await send(page, 202);
    const [, code] = /"code": "([^"]+)"/.exec(asked) ?? [];
    expect(asked).toContain("Tell an admin the code");
    await service.admin({ action: "confirm", token_id, ip: "127.0.0.1", code });

    expect(await send(page, 201)).toContain("The new token is a secret");
    await page.getByRole("button", { name: "Use it on this page" }).click();
    await page.getByRole("button", { name: "Used on this page" }).waitFor();
    await follow(page, "Who am I?");
    expect(await send(page, 200)).toContain(`"token_id": "${token_id}"`);
  });

  test("shows and copies each call in the chosen language with the service's address, what was entered, and the token", async () => {
    const [page] = await openPage();
    await follow(page, "Read a key");
    const samples = samplesOf(page);
    await enter(page, { key_id: "a b/c" });

    await samples.getByRole("button", { name: "PHP" }).click();
    expect(await samples.textContent()).toContain(`${service.baseUrl}/api/v1/key/a%20b%2Fc`);
    expect(await samples.textContent()).toContain('getenv("TOKEN")');
    await enter(page, { "Your token": token });
    expect(await samples.textContent()).toContain(`"${token}"`);
    expect(await samples.textContent()).not.toContain("getenv");
    await samples.getByRole("button", { name: "Copy" }).click();
    await samples.getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard(page)).toBe(await samples.locator("pre").textContent());

    await follow(page, "Lists and pages");
    await samples.getByRole("button", { name: "Python" }).click();
    expect(await samples.textContent()).toContain(`url = "${service.baseUrl}/api/v1/key`);
  });

  test("finds chapters, calls and errors, and explains an error without those that only operators see", async () => {
    const [page] = await openPage();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("grace period");
    const found = page.getByRole("navigation", { name: "Found" });
    await found.getByRole("link", { name: "Tokens and addresses" }).waitFor();
    await found.getByRole("link", { name: "token_expired" }).click();

    await page.locator("#token_expired", { hasText: "If the token was rotated, use its successor." }).waitFor();
    expect(await main(page).textContent()).not.toContain("documentation_missing");
    await page.getByLabel("Search").fill("documentation_missing");
    await page.getByText("Nothing found").waitFor();
  });

  test("shows the same again under the same address, goes back with the browser, and leads back only who came from the web interface", async () => {
    const [page] = await openPage();
    await follow(page, "Create a key");
    await follow(page, "Rate limits");
    await page.goBack();
    await main(page).getByRole("heading", { level: 1, name: "Create a key" }).waitFor();
    await page.reload();

    await main(page).getByRole("heading", { level: 1, name: "Create a key" }).waitFor();
    expect(page.url()).toContain("#/v1/v1-create-key");
    const back = page.getByRole("link", { name: "Back to the web interface" });
    expect(await back.count()).toBe(0);
    await page.goto(`${service.baseUrl}${addresses.documentation}`);
    await follow(page, "Errors");
    expect(await back.getAttribute("href")).toBe("/");
  });

  test("shows the guide without JavaScript", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${service.baseUrl}/api/documentation`);
    const chapter = await page.getByRole("heading", { name: "Retries and safe repetition" }).isVisible();
    const file = await page.getByRole("link", { name: "api-docs.json" }).isVisible();
    await context.close();

    expect({ chapter, file }).toEqual({ chapter: true, file: true });
  });

  test("can be used on a phone, and with the keyboard alone", async () => {
    const [page] = await openPage({ width: 390 });
    await page.getByRole("button", { name: "Menu" }).press("Enter");
    await page.getByLabel("Search").fill("key");
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.getByLabel("Search").fill("");
    await page.getByRole("link", { name: "Who am I?" }).press("Enter");
    await page.getByRole("navigation", { name: "Contents" }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Send this call" }).press("Enter");
    await page.locator(".outcome").getByText("token_missing").waitFor();
  });

  test("fits every width and has no serious accessibility flaw", async () => {
    for (const name of ["First call", "Errors", "Create a key", "Read a key", "Lists and pages"]) {
      const [page] = await openPage();
      await follow(page, name);
      await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
      if (name === "Read a key") await send(page, 401);
      await looksRight(page, name, { flawsAt: [1440] });
    }
  });
});

test("a missing api-docs.json is reported until npm run docs has run, without a restart", async () => {
  await rm(service.descriptionFile);
  const [page] = await openPage();

  await page.getByRole("heading", { name: "The file api-docs.json is missing" }).waitFor();
  expect(await page.locator("main").textContent()).toContain("npm run docs");

  await promisify(execFile)("npm", ["run", "docs"], { cwd: projectFolder });
  const described = async () => (await fetch(`${service.baseUrl}/api/documentation/api-docs.json`)).status;
  await expect.poll(described).toBe(200);
  await page.reload();
  await page.getByRole("link", { name: "Create a key" }).waitFor();
});
