import type { Locator, Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { exampleTrust } from "../../lambdas/domain/tokens/tokens-table.ts";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { newObservedPage, noFlaws, type Observed, type PageOptions, seriousFlaws } from "../support/observed-page.ts";
import { clipboard, followContents, looksRight, press, shows, useInterface } from "./web-interface.ts";

const ui = useInterface();

const openPage = async (options?: PageOptions): Promise<[Page, Observed]> => {
  const [page, observed] = await newObservedPage(ui.browser, options);
  await page.goto(`${ui.service.baseUrl}/api/documentation`);
  return [page, observed];
};

const main = (page: Page): Locator => page.getByRole("main");
const outcome = (page: Page): Locator => page.locator(".outcome");

const contents = (page: Page): Locator => page.getByRole("navigation", { name: "Contents" });

/** Opens a page by its link in the table of contents. */
const read = async (page: Page, name: string): Promise<void> => {
  await followContents(page, name);
  await main(page).getByRole("heading", { level: 1, name }).waitFor();
};

/** Fills in a field of the form of the operation that the page shows. */
const enter = (page: Page, field: string, value: string): Promise<void> =>
  main(page).getByLabel(field, { exact: true }).fill(value);

/** Sends the call, confirming it if the page asks. Returns the displayed response once it has this status. */
const send = async (page: Page, status: number, confirmation?: string): Promise<string> => {
  await press(page, "Send this call");
  if (confirmation) await press(page.getByRole("dialog"), confirmation);
  await outcome(page)
    .locator(".status", { hasText: String(status) })
    .waitFor();
  return (await outcome(page).textContent()) ?? "";
};

const samplesOf = (page: Page): Locator => page.locator(".samples").first();

test("the documentation redeems an invitation once an admin has confirmed it, and continues with the new token", async () => {
  const { token_id, text } = await ui.invite("documented");
  const [page] = await openPage();
  await read(page, "Redeem an invitation");
  await enter(page, "Your invitation", text);
  await shows(samplesOf(page), "iti_…");
  await shows(main(page), "a new token, which is a secret");

  const asked = await send(page, 202, "Redeem an invitation");
  const [, code] = /"code": "([^"]+)"/.exec(asked) ?? [];
  expect(asked).toContain("Tell an admin the code");
  await ui.admin("confirm", { token_id, ip: "127.0.0.1", code });
  expect(await send(page, 201, "Redeem an invitation")).toContain("The new token is a secret");
  await press(page, "Use it on this page");
  await page.getByRole("button", { name: "Used on this page" }).waitFor();
  await read(page, "Describe your token");
  expect(await send(page, 200)).toContain(`"token_id": "${token_id}"`);
});

test("the documentation exchanges a workload's JWT without a token, and hides the JWT", async () => {
  await ui.trust(exampleTrust.subject);
  const [page, { requests }] = await openPage();
  await read(page, "Exchange a JWT");
  await enter(page, "subject_token", await ui.service.workloadJwt());
  await shows(samplesOf(page), "eyJh…");

  expect(await send(page, 201, "Exchange a JWT")).toContain("The new token is a secret");
  const exchange = requests.find((request) => request.method() === "POST");
  expect(exchange?.headers()).not.toHaveProperty("x-token");
});

test("a sample contains the entered values in the chosen language, and is copied with the token that is hidden on the page", async () => {
  const token = await ui.service.issueToken();
  const [page] = await openPage();
  await read(page, "Read a key");
  const samples = samplesOf(page);
  const shown = samples.locator(".sample:not(.other) pre");
  await enter(page, "key_id", "a b/c");
  await press(samples, "PHP");
  expect(await shown.textContent()).toContain(`${ui.service.baseUrl}/api/v1/key/a%20b%2Fc`);
  expect(await shown.textContent()).toContain('getenv("TOKEN")');
  await enter(page, "Your token", token);
  expect(await shown.textContent()).toContain('"itk_…"');
  expect(await samples.textContent()).not.toContain(token);
  await press(samples, "Copy");
  await samples.getByRole("button", { name: "Copied" }).waitFor();
  expect(await clipboard(page)).toBe((await shown.textContent())?.replace("itk_…", token));

  await page.reload();
  await samples.getByRole("button", { name: "PHP", pressed: true }).waitFor();
  await read(page, "Lists and pages");
  await press(samples, "Python");
  expect(await shown.textContent()).toContain(`IntegrationClient("${ui.service.baseUrl}"`);
});

test("the search finds chapters, calls and errors, except errors that only operators see", async () => {
  const [page] = await openPage();
  const found = page.getByRole("navigation", { name: "Found" });
  const search = async (words: string) => {
    await page.getByLabel("Search").fill(words);
    await page.keyboard.press("Enter");
  };
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("grace period");
  await found.getByRole("link", { name: "token_expired" }).waitFor();
  await page.keyboard.press("ArrowDown");
  expect(await page.evaluate("document.activeElement.closest('nav').ariaLabel")).toBe("Found");
  await page.keyboard.press("ArrowUp");
  for (const [words, chapter] of [
    ["sdk", "Clients"],
    ["pagination", "Lists and pages"],
    // The displayed page.
    ["pagination", "Lists and pages"],
  ] as const) {
    await search(words);
    await main(page).getByRole("heading", { level: 1, name: chapter }).waitFor();
    await found.waitFor({ state: "hidden" });
  }
  await search("token_expired");
  await page.locator("#token_expired", { hasText: "If the token was rotated, use its successor." }).waitFor();
  expect(await main(page).textContent()).not.toContain("documentation_missing");
  await page.getByLabel("Search").fill("documentation_missing");
  await shows(page, "Nothing found");
});

test("each page of the documentation has its own address, and a link back for visitors from the web interface only", async () => {
  const [page] = await openPage();
  await read(page, "Create a key");
  await read(page, "Rate limits");
  await page.goBack();
  const heading = main(page).getByRole("heading", { level: 1, name: "Create a key" });
  await heading.waitFor();
  await page.reload();
  await heading.waitFor();
  expect(page.url()).toBe(`${ui.service.baseUrl}/api/documentation/keys/create`);
  const back = page.getByRole("link", { name: "Back to the web interface" });
  expect(await back.count()).toBe(0);
  await page.goto(`${ui.service.baseUrl}${addresses.documentation}`);
  await read(page, "Errors");
  expect(await back.getAttribute("href")).toBe("/");
});

test("the documentation is readable without JavaScript on a phone, and shows no controls that would not work", async () => {
  const context = await ui.browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${ui.service.baseUrl}/api/documentation`);
  await read(page, "Create a key");
  for (const language of ["curl", "TypeScript", "Python", "PHP"]) {
    await main(page).locator(".language", { hasText: language }).waitFor();
  }
  expect(await page.getByRole("button").count()).toBe(0);
  expect(await page.getByRole("textbox").and(page.locator(":not(.entries *)")).count()).toBe(0);
});

test("the documentation shows the reader's address, explains rejected calls, and sends no invalid numbers", async () => {
  const [page, { requests }] = await openPage();
  await press(page, "Check this token");
  await outcome(page).getByRole("link", { name: "token_missing" }).waitFor();
  await enter(page, "Your token", await ui.service.issueToken());
  await press(page, "Check this token");
  await shows(outcome(page), "You call from 127.0.0.1");
  await page.route("**/api/v1/token", (route) => route.abort());
  await press(page, "Check this token");
  await shows(outcome(page), "Check that you are online");
  await page.unrouteAll();

  await read(page, "Describe your token");
  for (const [response, shown] of [
    [{ status: 303, headers: { location: "/elsewhere" } }, "Success: a redirect"],
    [{ contentType: "text/csv", body: "a,b" }, "a,b"],
    [{ contentType: "application/pdf", body: "%PDF" }, "4 bytes of application/pdf"],
  ] as const) {
    await page.route("**/api/v1/token", (route) => route.fulfill(response));
    await press(page, "Send this call");
    await shows(outcome(page), shown);
    await page.unrouteAll();
  }

  await read(page, "List keys");
  await enter(page, "limit", "1001");
  await press(page, "Send this call");
  expect(await page.locator("input:invalid").count()).toBe(1);
  expect(requests.filter((request) => request.url().includes("/v1/key"))).toEqual([]);
});

test("the documentation works on a phone with the keyboard alone", async () => {
  const [page] = await openPage({ width: 390 });
  await page.getByRole("button", { name: "Menu" }).press("Enter");
  await page.getByLabel("Search").fill("key");
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await page.keyboard.press("Escape");
  await contents(page).waitFor({ state: "hidden" });
  for (const name of ["First call", "Describe your token"]) {
    await page.getByRole("button", { name: "Menu" }).press("Enter");
    if (name !== "First call") await contents(page).locator("summary", { hasText: "Reference" }).press("Enter");
    await contents(page).getByRole("link", { name }).press("Enter");
    await contents(page).waitFor({ state: "hidden" });
  }
  await page.getByRole("button", { name: "Send this call" }).press("Enter");
  await outcome(page).getByRole("link", { name: "token_missing" }).waitFor();
});

test("a page is copied as Markdown with the service's address, and marks the heading that is being read", async () => {
  const [page] = await openPage();
  await read(page, "Workloads without a stored token");
  await press(page, "Copy page as Markdown");
  await page.locator(".page-bar").getByRole("button", { name: "Copied" }).waitFor();
  const copied = await clipboard(page);
  expect(copied).toMatch(/^# Workloads without a stored token\n/);
  expect(copied).toContain(`${ui.service.baseUrl}/api/v1/token/exchange`);

  const isRead = page.getByRole("navigation", { name: "On this page" }).locator("[aria-current]");
  for (const id of ["kubernetes", "github-actions"]) {
    await page.locator(`h2#${id}`).evaluate((heading) => heading.scrollIntoView());
    await expect.poll(() => isRead.getAttribute("href")).toBe(`#${id}`);
  }
});

test("the documentation and the web interface share the appearance, which is applied before the page is shown", async () => {
  const { page } = await ui.open("/", { group: "Superuser" });
  await press(page, /^Account of/);
  await page.getByRole("menuitemcheckbox", { name: "Dark" }).click();
  await page.goto(`${ui.service.baseUrl}${addresses.documentation}`, { waitUntil: "commit" });
  const appearance = page.getByLabel("Appearance");
  await expect.poll(() => appearance.inputValue()).toBe("dark");
  const background = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  expect(await background()).toBe("rgb(22, 25, 29)");
  await appearance.selectOption("light");
  expect(await background()).toBe("rgb(255, 255, 255)");
  expect(await page.evaluate("localStorage['colour-scheme']")).toBe("light");
});

test("every page of the documentation fits every width, begins with the skip link, and has no serious accessibility flaw", async () => {
  const [page] = await openPage();
  const links = await contents(page).locator("a").all();
  const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
  for (const path of [...paths, "/api/documentation/nowhere"]) {
    await page.goto(`${ui.service.baseUrl}${path}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent"), String(path)).toBe("Skip to the content");
    await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    if (path?.endsWith("/keys/get")) await send(page, 401);
    await looksRight(page, String(path), { flawsAt: [1440] });
  }
  await page.goto(`${ui.service.baseUrl}/api/documentation/keys/delete`);
  await press(page, "Send this call");
  await page.getByRole("dialog").waitFor();
  expect(await seriousFlaws(page, "dialog")).toEqual(noFlaws);
});
