import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { exampleTrust } from "../../lambdas/domain/tokens/tokens-table.ts";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
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

/** Sends the call, confirming it if the page asks. Returns the displayed response once it has this status. */
const send = async (page: Page, status: number, confirmation?: string): Promise<string> => {
  await page.getByRole("button", { name: "Send this call" }).click();
  if (confirmation) await page.getByRole("dialog").getByRole("button", { name: confirmation }).click();
  const outcome = page.locator(".outcome");
  await outcome.locator(".status", { hasText: String(status) }).waitFor();
  return (await outcome.textContent()) ?? "";
};

const samplesOf = (page: Page): Locator => page.locator(".samples").first();

describe("the documentation page", () => {
  test("lists every endpoint of the description with its fields' limits, and every chapter of the guide", async () => {
    const [page] = await openPage();
    const { paths } = JSON.parse(await readFile(service.descriptionFile, "utf8"));
    const operations = Object.values<Record<string, { summary: string }>>(paths).flatMap((path) => Object.values(path));
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.waitFor();

    expect(await contents.getByRole("link").count()).toBe(operations.length + (await guideChapters(api)).length);
    for (const { summary } of operations) expect(await contents.getByRole("link", { name: summary }).count()).toBe(1);
    expect(await page.title()).toBe("API documentation");
    await follow(page, "Create a key");
    const field = page.locator(".field", { has: page.getByLabel("key_id") });
    expect(await field.textContent()).toMatch(/required.*string, 1 to 255 characters/);
  });

  test("creates a key, shows a rejected call and deletes the key with a token, and stores the token nowhere", async () => {
    const [page, { requests }] = await openPage();
    await follow(page, "Create a key");
    await enter(page, { "Your token": token, key_id: "tried", v_code: "v".repeat(64) });
    const created = await send(page, 201);
    expect(created).toContain('"key_id": "tried"');
    expect(created).toContain("location: /api/v1/key/tried");

    await enter(page, { v_code: "short" });
    expect(await send(page, 422)).toContain("Correct the marked fields");
    const marked = page.locator(".field", { has: page.locator("[aria-invalid=true]") });
    expect(await marked.textContent()).toMatch(/v_code.*The v_code must be 64 characters\./s);

    await follow(page, "Delete a key");
    await enter(page, { key_id: "tried" });
    await page.getByRole("button", { name: "Send this call" }).click();
    await page.getByRole("dialog", { name: "Delete a key?" }).getByText("cannot be undone").waitFor();
    expect(await page.getByRole("dialog").textContent()).toContain("/api/v1/key/tried");
    await page.keyboard.press("Escape");
    expect(requests.filter((request) => request.method() === "DELETE")).toEqual([]);
    await send(page, 204, "Delete a key");
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

  test("redeems an invitation once an admin has confirmed it, warns about the new token, and continues with it", async () => {
    const { token_id, invitation_text } = await service.admin({ action: "invite" });
    const [page] = await openPage();
    await follow(page, "Redeem an invitation");
    await enter(page, { "Your invitation": String(invitation_text) });
    await samplesOf(page).getByText("iti_…").first().waitFor();
    expect(await main(page).textContent()).toContain("a new token, which is a secret");

    const asked = await send(page, 202, "Redeem an invitation");
    const [, code] = /"code": "([^"]+)"/.exec(asked) ?? [];
    expect(asked).toContain("Tell an admin the code");
    await service.admin({ action: "confirm", token_id, ip: "127.0.0.1", code });

    expect(await send(page, 201, "Redeem an invitation")).toContain("The new token is a secret");
    await page.getByRole("button", { name: "Use it on this page" }).click();
    await page.getByRole("button", { name: "Used on this page" }).waitFor();
    await follow(page, "Describe your token");
    expect(await send(page, 200)).toContain(`"token_id": "${token_id}"`);
  });

  test("exchanges a trusted workload's JWT, which it hides, without a token", async () => {
    const { issuer, subject, comment } = exampleTrust;
    await service.admin({ action: "create_trust", issuer, subject, comment });
    const [page, { requests }] = await openPage();
    await follow(page, "Exchange a JWT");
    await enter(page, { subject_token: await service.workloadJwt() });
    await samplesOf(page).getByText("eyJh…").first().waitFor();

    expect(await send(page, 201, "Exchange a JWT")).toContain("The new token is a secret");
    const exchange = requests.find((request) => request.method() === "POST");
    expect(exchange?.headers()).not.toHaveProperty("x-token");
  });

  test("shows each call in the chosen language with the entered values, and copies the token that it hides", async () => {
    const [page] = await openPage();
    await follow(page, "Read a key");
    const samples = samplesOf(page);
    const shown = samples.locator(".sample:not(.other) pre");
    await enter(page, { key_id: "a b/c" });

    await samples.getByRole("button", { name: "PHP" }).click();
    expect(await shown.textContent()).toContain(`${service.baseUrl}/api/v1/key/a%20b%2Fc`);
    expect(await shown.textContent()).toContain('getenv("TOKEN")');
    await enter(page, { "Your token": token });
    expect(await shown.textContent()).toContain('"itk_…"');
    expect(await samples.textContent()).not.toContain(token);
    await samples.getByRole("button", { name: "Copy" }).click();
    await samples.getByRole("button", { name: "Copied" }).waitFor();
    expect(await clipboard(page)).toBe((await shown.textContent())?.replace("itk_…", token));

    await page.reload();
    await samples.getByRole("button", { name: "PHP", pressed: true }).waitFor();
    await follow(page, "Lists and pages");
    await samples.getByRole("button", { name: "Python" }).click();
    expect(await shown.textContent()).toContain(`url = "${service.baseUrl}/api/v1/key`);
  });

  test("finds chapters, calls and errors, and omits errors that only operators see", async () => {
    const [page] = await openPage();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("grace period");
    const found = page.getByRole("navigation", { name: "Found" });
    await found.getByRole("link", { name: "token_expired" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await page.evaluate("document.activeElement.closest('nav').ariaLabel")).toBe("Found");
    await page.keyboard.press("ArrowUp");
    for (const [words, chapter] of [
      ["sdk", "Clients"],
      ["authentication", "Authentication"],
      ["pagination", "Lists and pages"],
      // The displayed page.
      ["pagination", "Lists and pages"],
    ] as const) {
      await page.getByLabel("Search").fill(words);
      await page.keyboard.press("Enter");
      await main(page).getByRole("heading", { level: 1, name: chapter }).waitFor();
      await found.waitFor({ state: "hidden" });
    }
    await page.getByLabel("Search").fill("token_expired");
    await page.keyboard.press("Enter");

    await page.locator("#token_expired", { hasText: "If the token was rotated, use its successor." }).waitFor();
    expect(await main(page).textContent()).not.toContain("documentation_missing");
    await page.getByLabel("Search").fill("documentation_missing");
    await page.getByText("Nothing found").waitFor();
  });

  test("keeps its state in the address, supports Back, and links back only for visitors from the web interface", async () => {
    const [page] = await openPage();
    await follow(page, "Create a key");
    await follow(page, "Rate limits");
    await page.goBack();
    await main(page).getByRole("heading", { level: 1, name: "Create a key" }).waitFor();
    await page.reload();

    await main(page).getByRole("heading", { level: 1, name: "Create a key" }).waitFor();
    expect(page.url()).toBe(`${service.baseUrl}/api/documentation/keys/create`);
    const back = page.getByRole("link", { name: "Back to the web interface" });
    expect(await back.count()).toBe(0);
    await page.goto(`${service.baseUrl}${addresses.documentation}`);
    await follow(page, "Errors");
    expect(await back.getAttribute("href")).toBe("/");
  });

  test("works without JavaScript, also on a phone: every page is reachable and shows its samples", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${service.baseUrl}/api/documentation`);
    await follow(page, "Create a key");

    for (const language of ["curl", "JavaScript", "Python", "PHP"]) {
      await main(page).locator(".language", { hasText: language }).waitFor();
    }
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.getByRole("textbox").and(page.locator(":not(.entries *)")).count()).toBe(0);
  });

  test("shows the reader's address, explains rejected calls, and says what to do without a response", async () => {
    const [page] = await openPage();
    const check = page.getByRole("button", { name: "Check this token" });
    await check.click();
    await page.locator(".outcome").getByRole("link", { name: "token_missing" }).waitFor();
    await enter(page, { "Your token": token });
    await check.click();
    await page.locator(".outcome").getByText("You call from 127.0.0.1").waitFor();

    await page.route("**/api/v1/token", (route) => route.abort());
    await check.click();
    await page.locator(".outcome").getByText("Check that you are online").waitFor();
  });

  test("does not send numbers that are out of range", async () => {
    const [page, { requests }] = await openPage();
    await follow(page, "List keys");
    await enter(page, { limit: "1001" });
    await page.getByRole("button", { name: "Send this call" }).click();
    expect(await page.locator("input:invalid").count()).toBe(1);
    expect(requests.filter((request) => request.url().includes("/v1/key"))).toEqual([]);
  });

  test("works on a phone, and with the keyboard alone", async () => {
    const [page] = await openPage({ width: 390 });
    await page.getByRole("button", { name: "Menu" }).press("Enter");
    await page.getByLabel("Search").fill("key");
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    const contents = page.getByRole("navigation", { name: "Contents" });
    await page.keyboard.press("Escape");
    await contents.waitFor({ state: "hidden" });
    for (const name of ["First call", "Describe your token"]) {
      await page.getByRole("button", { name: "Menu" }).press("Enter");
      await contents.getByRole("link", { name }).press("Enter");
      await contents.waitFor({ state: "hidden" });
    }
    await page.getByRole("button", { name: "Send this call" }).press("Enter");
    await page.locator(".outcome").getByRole("link", { name: "token_missing" }).waitFor();
  });

  test("fits every width without a serious accessibility flaw, on every page, as rendered by the server", async () => {
    const [page] = await openPage();
    const links = await page.getByRole("navigation", { name: "Contents" }).getByRole("link").all();
    const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
    for (const path of [...paths, "/api/documentation/nowhere"]) {
      await page.goto(`${service.baseUrl}${path}`);
      await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
      if (path?.endsWith("/keys/get")) await send(page, 401);
      await looksRight(page, String(path), { flawsAt: [1440] });
    }
    await page.goto(`${service.baseUrl}/api/documentation/keys/delete`);
    await page.getByRole("button", { name: "Send this call" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await seriousFlaws(page, "dialog")).toEqual(noFlaws);
  });
});

test("reports a missing api-docs.json until npm run docs has run, without a restart", async () => {
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
