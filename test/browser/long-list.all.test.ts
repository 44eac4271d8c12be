import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { exampleRequest, exampleToken } from "../web/record-examples.ts";
import { numbered, openStock, serveStock } from "./token-stock.ts";
import { hides, inDays, press, shownRows, shows, titled, useInterface } from "./web-interface.ts";

const ui = useInterface();

/** A list whose rest arrives when `release` is called. */
const slowStock = (count: number) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const beforePage = (isFirst: boolean) => (isFirst ? Promise.resolve() : released);
  return { stock: { tokens: numbered(count), beforePage }, release: () => release() };
};

const firstRow = async (page: Page): Promise<string | undefined> => (await shownRows(page))[0];

test("a long list shows its first tokens while the rest load, and notes that counts and order are not final", async () => {
  const { stock, release } = slowStock(1_000);
  const { page } = await openStock(ui, stock, "/?state=active");
  await shows(page, "100 tokens loaded so far: counts and order are not final");
  await shows(page, "100 found so far");
  expect(await page.getByRole("button", { name: "Export as CSV" }).isDisabled()).toBe(true);
  expect(await firstRow(page)).toBe("client 99");
  release();
  await shows(page, "1,000 found");
  await expect.poll(() => firstRow(page)).toBe("client 999");
});

test("a list does not move while an admin works in it, even if it loads or refreshes", async () => {
  const { stock, release } = slowStock(1_000);
  const prepare = async (page: Page) => {
    await page.clock.install();
    await serveStock(page, stock);
  };
  const { page } = await ui.open("/", { isolated: true, prepare });
  await page.getByRole("checkbox", { name: "Select client 98" }).check();
  const isSortedOnRequest = async (button: string, first: string) => {
    const rows = await shownRows(page);
    await page.getByRole("button", { name: button }).waitFor();
    expect(await shownRows(page)).toEqual(rows);
    await shows(page, "1 selected");
    await press(page, button);
    await expect.poll(() => firstRow(page)).toBe(first);
  };
  release();
  await isSortedOnRequest("900 new: show", "client 999");
  stock.tokens.unshift(exampleToken({ token_id: "new", comment: "new", issued_at: inDays(0) }));
  await page.clock.fastForward(180_000);
  await isSortedOnRequest("1 new: show", "new");
  await page.getByRole("searchbox", { name: "Find tokens" }).fill("client 7");
  await shows(page, "1 selected (1 of them not shown)");
});

test("on a phone, nothing moves while tokens load, items that need attention appear, and a request arrives", async () => {
  const { stock, release } = slowStock(300);
  for (const token of stock.tokens.slice(200)) token.expires_at = inDays(20);
  const { token_id, token } = await ui.issue("asks while the list is open");
  const mover = exampleToken({ token_id, comment: "asks while the list is open" });
  stock.tokens.splice(0, 1, mover);
  const { page } = await openStock(ui, stock, "/", 390);
  await shows(page, "100 tokens loaded so far");
  await page.evaluate(`new PerformanceObserver((list) => {
    window.shifted = (window.shifted ?? 0) + list.getEntries().reduce((sum, { value }) => sum + value, 0);
  }).observe({ type: "layout-shift", buffered: true })`);
  release();
  await page.getByRole("link", { name: "Tokens (300)" }).waitFor();
  await titled(page, "Needs attention (100)");
  await ui.move(token, "127.0.0.2");
  mover.request = exampleRequest({ for: "move", requested_at: inDays(0), expires_at: inDays(0.01) });
  await page.getByRole("button", { name: "A client is waiting: show" }).waitFor();
  expect(Number(await page.evaluate("window.shifted ?? 0"))).toBeLessThan(0.02);
});

test("a link to a later page of the list waits until that page has arrived", async () => {
  const { stock, release } = slowStock(300);
  const { page } = await openStock(ui, stock, "/?sort=issued&page=10");
  await shows(page, "Loading this page");
  release();
  await expect.poll(() => firstRow(page)).toBe("client 225");
});

test("a change made while the list was loading stays visible when the rest has arrived", async () => {
  const { token_id } = await ui.issue("changed meanwhile");
  const token = exampleToken({ token_id, comment: "changed meanwhile", issued_at: inDays(1) });
  const { stock, release } = slowStock(300);
  const { page, dialog, row, choose } = await openStock(ui, { ...stock, tokens: [token, ...stock.tokens, token] });
  await choose(row("changed meanwhile"), "Revoke");
  await press(dialog, "Revoke token");
  await shows(row("changed meanwhile"), "Revoked");
  release();
  await page.getByRole("link", { name: "Tokens (301)" }).waitFor();
  await shows(row("changed meanwhile"), "Revoked");
});

test("a list that fails to load says so and keeps what has arrived, and a failed refresh leaves it unchanged", async () => {
  let failing: "first page" | "other pages" | "none" = "first page";
  const beforePage = async (isFirst: boolean) => {
    if (failing === (isFirst ? "first page" : "other pages")) throw new Error("The connection breaks.");
  };
  const { page } = await openStock(ui, { tokens: numbered(150), beforePage });
  const tryAgain = async (text: string, nextFailure: typeof failing) => {
    failing = nextFailure;
    await press(page, "Try again");
    await hides(page, text);
  };
  await shows(page, "The tokens could not be loaded");
  await tryAgain("The tokens could not be loaded", "other pages");
  await shows(page, "Only 100 tokens could be loaded");
  expect(await shownRows(page)).toHaveLength(25);
  await tryAgain("Only 100 tokens could be loaded", "none");
  await page.getByRole("link", { name: "Tokens (150)" }).waitFor();
  await page.getByRole("checkbox", { name: "Select client 99" }).check();
  const rows = await shownRows(page);
  failing = "first page";
  await press(page, "Refresh");
  await shows(page, "The tokens could not be refreshed");
  expect(await shownRows(page)).toEqual(rows);
  await tryAgain("The tokens could not be refreshed", "none");
  await shows(page, "1 selected");
  expect(await shownRows(page)).toEqual(rows);
});
