import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Leak, Notice, Token } from "../../web/admin/api/types.ts";
import type { Console } from "../support/console.ts";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { exampleRequest, exampleToken } from "../web/record-examples.ts";
import { inDays, letFail, looksRight, pressByTab, shownRows, useInterface } from "./web-interface.ts";

const ui = useInterface();
const { issue, stateOf } = ui;

interface Stock {
  tokens: Token[];
  leaks?: Leak[];
  notices?: Notice[];
  /** Called with the page number, from 0, before the response with each page of the list. A failure breaks the connection. */
  beforePage?: (page: number) => Promise<void>;
}

/** Serves the token list, and requests for one token, from this stock instead of from the service. */
const answerWith = async (
  page: Page,
  { tokens, leaks = [], notices = [], beforePage = async () => {} }: Stock,
): Promise<void> => {
  let pages = 0;
  await page.route("**/admin/leaks", (route) => route.fulfill({ json: { leaks } }));
  await page.route("**/admin/notices*", (route) => route.fulfill({ json: { notices, next_cursor: null } }));
  await page.route("**/admin/tokens/*", (route) => {
    const id = new URL(route.request().url()).pathname.split("/").at(-1);
    const token = tokens.find(({ token_id }) => token_id === id);
    return token && route.request().method() === "GET" ? route.fulfill({ json: token }) : route.fallback();
  });
  await page.route("**/admin/tokens?*", async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [begin, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
    const end = begin + limit;
    pages += 1;
    try {
      await beforePage(pages - 1);
    } catch {
      return route.abort();
    }
    const next_cursor = end < tokens.length ? String(end) : null;
    return route.fulfill({ json: { tokens: tokens.slice(begin, end), next_cursor } });
  });
};

/** Opens the list of a stock. */
const openStock = (stock: Stock, path = "/", width = 1280): Promise<Console> =>
  ui.open(path, { width, prepare: (page) => answerWith(page, stock) });

const issueMany = (comment: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async (_, index) => (await issue(`${comment} ${index}`)).token_id));

const numbered = (count: number, fields: Partial<Token> = {}): Token[] =>
  Array.from({ length: count }, (_, index) =>
    exampleToken({
      token_id: `01M7ZZZZZZ${String(index).padStart(16, "0")}`,
      comment: `client ${index}`,
      issued_at: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
      last_used_at: inDays(-1),
      ...fields,
    }),
  );

const leakOf = ({ token_id }: Token, ips: string[]): Leak => ({
  token_id,
  time: inDays(-1),
  source_ip: String(ips[0]),
  addresses: ips.map((source_ip) => ({ source_ip, first_at: inDays(-2), last_at: inDays(-1) })),
  unlisted_at: null,
});

const inUse: Partial<Token> = { issued_at: inDays(-200), last_used_at: inDays(-1) };

/** A token for each reason to need attention, and others that need none. */
const mixedStock = (): Stock => {
  const [one, two] = numbered(2);
  if (!one || !two) throw new Error("There are two tokens.");
  const troubled = [
    { ...one, comment: "leaked", dismissed_addresses: [] },
    {
      ...two,
      comment: "recognised",
      dismissed_addresses: [{ ip: "203.0.113.9", dismissed_at: inDays(0), dismissed_by: "a" }],
    },
    exampleToken({ ...inUse, token_id: "expiring", comment: "expiring", expires_at: inDays(20) }),
    exampleToken({ token_id: "unused", comment: "unused", expires_at: inDays(9), issued_at: inDays(-200) }),
    exampleToken({
      ...{ ...inUse, token_id: "rotated", comment: "rotated" },
      ...{ expires_at: inDays(0.9), successor_id: "x", rotated_at: inDays(-2) },
    }),
    exampleToken({
      ...{ token_id: "invited", comment: "invited", state: "invited", ip: null, issued_at: inDays(-0.6) },
      invitation: { expires_at: inDays(0.4), redeemed_at: null },
    }),
    exampleToken({ token_id: "revoked", comment: "revoked", state: "revoked", issued_at: inDays(-200) }),
  ];
  const leaks = [leakOf(one, ["203.0.113.7", "203.0.113.8"]), leakOf(two, ["203.0.113.9"])];
  return {
    tokens: [...numbered(30).map((token) => ({ ...token, token_id: `a${token.token_id}` })), ...troubled],
    leaks,
  };
};

describe("the filters", () => {
  test("show tokens that need attention, with counts, and then all tokens again", async () => {
    const { page, row } = await openStock(mixedStock());
    const addresses = "203.0.113.7 (1 day ago), 203.0.113.8 (1 day ago), addresses that are not its own.";
    const leak = `Somebody used the token of leaked from ${addresses} Were they all your client?`;
    await page.getByRole("listitem").filter({ hasText: leak }).waitFor();
    // Dismissed addresses need no warning.
    expect(await page.getByText("203.0.113.9").count()).toBe(0);
    const choose = async (option: string) => {
      await page.getByRole("button", { name: /^Filter/ }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    for (const [name, comments] of [
      ["Leaked (1)", ["leaked"]],
      ["In use and expiring soon (1)", ["expiring"]],
      ["Old token still in use (1)", ["rotated"]],
      ["Invitation not used (1)", ["invited"]],
      ["Unused for 90 days (1)", ["unused"]],
    ] as const) {
      await choose(name);
      await page.getByText(`${comments.length} found`).first().waitFor();
      expect((await shownRows(page)).map((text) => text.trim()).sort()).toEqual(comments);
      expect(await row(comments[0]).getByText("Wrong address").count()).toBe(comments[0] === "leaked" ? 1 : 0);
    }
    await choose("All tokens");
    await expect.poll(async () => (await shownRows(page)).length).toBe(25);
  });

  test("are in the address with the order and the page, and survive a reload and a visit to a token", async () => {
    const { page } = await openStock({ tokens: numbered(60) });
    await page.getByRole("searchbox", { name: "Find tokens" }).fill("client");
    await page.getByText("60 found").first().waitFor();
    await page.getByRole("columnheader", { name: "Comment" }).getByRole("button").click();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/?find=client&sort=comment&page=2`);
    const rows = await shownRows(page);
    expect(rows[0]).toBe("client 25");

    const expectSame = async () => {
      await expect.poll(() => shownRows(page)).toEqual(rows);
      expect(page.url()).toBe(`${ui.service.baseUrl}/?find=client&sort=comment&page=2`);
    };
    await page.reload();
    await expectSame();
    await page.getByRole("link", { name: "client 30" }).click();
    await page.getByRole("heading", { name: "client 30" }).waitFor();
    await page.getByRole("link", { name: "All tokens" }).click();
    await expectSame();
    await page.goBack();
    await page.goBack();
    await expectSame();
    await page.goBack();
    await page.waitForURL(`${ui.service.baseUrl}/?find=client&sort=comment`);
    await expect.poll(async () => (await shownRows(page))[0]).toBe("client 0");
  });

  test("keep the focus while typing, add no history entries for it, and are undone by Back", async () => {
    const { page } = await openStock({ tokens: numbered(60) });
    const filter = async (option: string) => {
      await page.getByRole("button", { name: /^Filter/ }).click();
      await page.getByRole("option", { name: option }).click();
    };
    await filter("Active");
    await filter("All tokens");
    const entries = Number(await page.evaluate("history.length"));
    const search = page.getByRole("searchbox", { name: "Find tokens" });
    await search.pressSequentially("client 1");
    await page.waitForURL(`${ui.service.baseUrl}/?find=client+1`);
    expect(await page.evaluate("history.length")).toBe(entries);
    expect(await page.evaluate("document.activeElement?.type")).toBe("search");
    await page.getByText("11 found").first().waitFor();

    await page.goBack();
    await page.waitForURL(`${ui.service.baseUrl}/?state=active`);
    expect(await search.inputValue()).toBe("");
    await page.goForward();
    await expect.poll(() => search.inputValue()).toBe("client 1");
  });
});

describe("what needs attention", () => {
  test("is one list, most urgent first, with the next step for each item", async () => {
    const { tokens, leaks = [] } = mixedStock();
    const request = exampleRequest({ requested_at: inDays(-0.001), expires_at: inDays(0.01) });
    const waits = exampleToken({
      ...{ token_id: "waits", comment: "waits", state: "awaiting_confirmation", ip: null, request },
      invitation: { expires_at: inDays(1), redeemed_at: null },
    });
    const notice: Notice = {
      ...{ notice_id: "any", kind: "token_expires", token_id: "revoked", comment: "revoked", ip: null },
      ...{ details: {}, found_at: inDays(-1), topic: "uncertain", bus: "sent" },
    };
    const { page, dialog } = await openStock({ tokens: [...tokens, waits], leaks, notices: [notice] });
    // The notices may have arrived after the first items were drawn.
    await page.getByRole("heading", { name: "Needs attention (7)" }).waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    const items = page.locator(".attention-items > li");
    const texts = [
      /^waits\s+Wants to use its invitation at 203\.0\.113\.50.*Confirm/s,
      /^Somebody used the token of leaked from 203\.0\.113\.7 \(1 day ago\), .*No, revoke and invite again\s+Open$/s,
      /^It is not known whether the topic got a notice about revoked: it expires soon\..*Open$/s,
      /^The client of invited has not used its invitation, which ends in 9 hours\.\s+Open$/,
      /^rotated was rotated, but its client still uses the old token, which ends in 21 hours\.\s+Open$/,
      /^expiring expires in 20 days and is in use\.\s+Rotate$/,
    ];
    await expect.poll(() => items.allInnerTexts()).toEqual(texts.map((text) => expect.stringMatching(text)));
    await looksRight(page, "what needs attention");
    for (const [button, title] of [
      ["Confirm 203.0.113.50 for waits", "Confirm the client's address"],
      ["No, revoke and invite again: leaked", "Revoke the token and invite again"],
      ["Rotate expiring", "Rotate the token"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await dialog.getByRole("heading", { name: title }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await page.getByRole("link", { name: "Open rotated" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/?token=rotated`);
    await page.goBack();
    await page.getByRole("button", { name: "1 more" }).click();
    await page.getByRole("menuitem", { name: "Unused for 90 days (1)" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/?show=unused`);
    await expect.poll(() => shownRows(page)).toEqual(["unused"]);
  });

  test("stays short and links to the remaining items in the table", async () => {
    const { page } = await openStock({ tokens: numbered(1_200, { last_used_at: inDays(-100) }) });
    await page.getByRole("heading", { name: "Needs attention (1,200)" }).waitFor();
    expect(await page.locator(".attention-items > li").count()).toBe(5);
    await page.getByRole("button", { name: "1,195 more" }).waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await page.reload();
    await page.getByRole("heading", { name: "Needs attention (1,200)" }).waitFor();
    expect(await page.locator(".attention-items > li").count()).toBe(1);
    await page.getByRole("button", { name: "1,199 more" }).click();
    await page.getByRole("menuitem", { name: "Unused for 90 days (1,200)" }).click();
    await page.getByText("1,200 found").first().waitFor();
  });

  test("is reported as incomplete if notices or warnings could not be loaded", async () => {
    const { page } = await ui.open("/keys");
    for (const part of ["notices*", "leaks"]) await letFail(page, part);
    await page.getByRole("link", { name: "API settings" }).click();
    await page.getByText("Undelivered notices could not be loaded").waitFor();
    await page.getByText("Leak warnings could not be loaded").waitFor();
  });
});

describe("several tokens", () => {
  test("are selected across pages and revoked, with a summary before and a result for each after", async () => {
    const name = "to revoke";
    const ids = await issueMany(name, 28);
    await ui.admin("revoke", { token_id: ids[0] });
    const { page, dialog } = await ui.open(`/?find=${encodeURIComponent(name)}`);
    await page.getByText("28 found").first().waitFor();
    await page.getByRole("checkbox", { name: "Select all tokens on this page" }).check();
    await page.getByText("25 selected").waitFor();
    await page.getByRole("button", { name: "Selected tokens" }).click();
    await page.getByRole("menuitem", { name: "Select all 28" }).click();
    await page.getByText("28 selected").waitFor();
    await page.getByRole("button", { name: "Selected tokens" }).click();
    await page.getByRole("menuitem", { name: "Revoke…" }).click();
    await dialog.getByRole("heading", { name: "Revoke 27 tokens" }).waitFor();
    await dialog.getByText("1 token skipped").waitFor();
    await dialog.getByText("It was revoked.").waitFor();
    await dialog.getByText("None of them was used in the last seven days.").waitFor();

    let isFirst = true;
    const sent: string[] = [];
    await page.route("**/admin/tokens/*", (route) => {
      sent.push(new URL(route.request().url()).pathname);
      if (!isFirst) return route.fallback();
      isFirst = false;
      return route.fulfill({
        status: 503,
        json: { code: "unavailable", message: "The service cannot reach its data." },
      });
    });
    await dialog.getByRole("button", { name: "Revoke 27 tokens" }).click();
    await dialog.getByText("26 of 27 tokens revoked").first().waitFor();
    await dialog
      .getByText(/The service cannot reach its data\. It may or may not have been revoked; it is safe/)
      .waitFor();
    expect(
      await dialog
        .getByRole("listitem")
        .filter({ hasText: /Revoked$/ })
        .count(),
    ).toBe(26);
    expect(new Set(sent).size).toBe(sent.length);

    await dialog.getByRole("button", { name: "Try again for 1 token" }).click();
    await dialog.getByText("27 of 27 tokens revoked").first().waitFor();
    expect(new Set(await Promise.all(ids.map(stateOf)))).toEqual(new Set(["revoked"]));
    expect(await seriousFlaws(page, "[role=dialog]")).toEqual(noFlaws);
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await page.getByRole("button", { name: "Selected tokens" }).waitFor({ state: "detached" });
  });

  test("can be revoked with the keyboard alone, in a dialog that stays while it runs and can be stopped", async () => {
    await issueMany("by keys", 5);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { page, dialog } = await ui.open("/?find=by+keys", {
      // Chromium may let requests pass that are sent right after a page's first route is added.
      prepare: (page) =>
        page.route("**/admin/tokens/*", async (route) => {
          await answered;
          await route.fallback();
        }),
    });
    await page.getByText("5 found").first().waitFor();
    await page.getByRole("checkbox", { name: "Select all tokens on this page" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Selected tokens" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Revoke…" }).waitFor();
    await page.keyboard.press("Enter");
    await pressByTab(page, "Revoke 5 tokens");
    await dialog.getByText("0 of 5 tokens revoked").first().waitFor();
    await page.keyboard.press("Escape");
    await page.goBack();
    await dialog.getByRole("button", { name: "Stop" }).focus();
    // A press right after the first would count as a double press, and stop nothing.
    const stopAndSee = async () => {
      await page.keyboard.press("Enter");
      return dialog.getByText("Stopping").count();
    };
    await expect.poll(stopAndSee).toBeGreaterThan(0);
    answer();
    await dialog.getByRole("heading", { name: "Result" }).waitFor();
    await dialog.getByText("3 of 5 tokens revoked").first().waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("2 selected").waitFor();
    expect(page.url()).toBe(`${ui.service.baseUrl}/?find=by+keys`);
  });
});

test("the export contains the filtered tokens of all pages in the displayed order, without formulas or secrets", async () => {
  const numbers = Array.from({ length: 27 }, (_, index) => String(index + 10));
  const texts: string[] = [];
  for (const number of numbers) texts.push((await issue(`=exported, "${number}"`)).token);
  const { page } = await ui.open("/?find=exported&sort=comment");
  await page.getByText("27 found").first().waitFor();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^tokens-\d{4}-\d{2}-\d{2}\.csv$/);
  const csv = await readFile(await download.path(), "utf8");
  expect([...csv.matchAll(/"'=exported, ""(\d+)"""/g)].map(([, number]) => number)).toEqual(numbers);
  expect(texts.filter((text) => csv.includes(text.slice(-50)))).toEqual([]);
});

describe("any width and any text", () => {
  const comments = [
    "w".repeat(255),
    `${"a long comment with many words ".repeat(8)}`,
    "شركة_المثال_للخدمات_اللوجستية".repeat(6),
    "日本語のとても長いコメント".repeat(12),
    "😀".repeat(120),
    "",
  ];
  const tokens = comments.flatMap((comment, index) => {
    const ip = "2001:db8:85a3:1111:2222:8a2e:3777:7334";
    const common = { comment, ip, issued_by: "a".repeat(100), last_used_at: inDays(-50), expires_at: inDays(2) };
    return [
      exampleToken({ ...common, token_id: `a${index}` }),
      exampleToken({ ...common, token_id: `r${index}`, successor_id: "x", rotated_at: inDays(-60) }),
    ];
  });
  const leaks = tokens.map((token) =>
    leakOf(
      token,
      Array.from({ length: 20 }, (_, n) => `2001:db8:85a3::8a2e:370:${n + 1000}`),
    ),
  );

  test("leave everything reachable without scrolling, and without a serious accessibility flaw", async () => {
    const { page } = await openStock({ tokens, leaks });
    await page.getByText("Wrong address").first().waitFor();
    expect(await shownRows(page)).toHaveLength(tokens.length);
    await looksRight(page, "the list", { flawsAt: [390, 768, 1440] });
    for (const [width, count] of [
      [390, 0],
      [768, 1],
    ] as const) {
      // On a phone, the times are only on the token's page.
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => page.getByRole("columnheader", { name: "Last used" }).count()).toBe(count);
    }
  });
});

describe("a long list", () => {
  /** The rest of the list arrives when `release` is called. */
  const slowStock = (count: number) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const beforePage = (page: number) => (page === 0 ? Promise.resolve() : released);
    return { stock: { tokens: numbered(count), beforePage }, release: () => release() };
  };

  test("shows its first tokens while the others load, and says that counts and order are not final", async () => {
    const { stock, release } = slowStock(1_000);
    const { page } = await openStock(stock, "/?state=active");
    await page.getByText("100 tokens loaded so far: counts and order are not final").waitFor();
    await page.getByText("100 found so far").first().waitFor();
    expect(await page.getByRole("button", { name: "Export as CSV" }).isDisabled()).toBe(true);
    expect((await shownRows(page))[0]).toBe("client 99");
    release();
    await page.getByText("1,000 found").first().waitFor();
    await expect.poll(async () => (await shownRows(page))[0]).toBe("client 999");
  });

  test("does not move under a user who is working in it while it loads or refreshes", async () => {
    const { stock, release } = slowStock(1_000);
    const prepare = async (page: Page) => {
      await page.clock.install();
      await answerWith(page, stock);
    };
    const { page } = await ui.open("/", { isolated: true, prepare });
    await page.getByRole("checkbox", { name: "Select client 98" }).check();
    const isSortedOnRequest = async (button: string, first: string) => {
      const rows = await shownRows(page);
      await page.getByRole("button", { name: button }).waitFor();
      expect(await shownRows(page)).toEqual(rows);
      await page.getByText("1 selected").waitFor();
      await page.getByRole("button", { name: button }).click();
      await expect.poll(async () => (await shownRows(page))[0]).toBe(first);
    };
    release();
    await isSortedOnRequest("900 new: show", "client 999");
    stock.tokens.unshift(exampleToken({ token_id: "new", comment: "new", issued_at: inDays(0) }));
    await page.clock.fastForward(180_000);
    await isSortedOnRequest("1 new: show", "new");
    await page.getByRole("searchbox", { name: "Find tokens" }).fill("client 7");
    await page.getByText("1 selected (1 of them not shown)").waitFor();
  });

  test("moves nothing on a phone while tokens load, items that need attention appear, and a request arrives", async () => {
    const { stock, release } = slowStock(300);
    for (const token of stock.tokens.slice(200)) token.expires_at = inDays(20);
    const { token_id, token } = await issue("asks while the list is open");
    const mover = exampleToken({ token_id, comment: "asks while the list is open" });
    stock.tokens.splice(0, 1, mover);
    const { page } = await openStock(stock, "/", 390);
    await page.getByText("100 tokens loaded so far", { exact: false }).waitFor();
    await page.evaluate(`new PerformanceObserver((list) => {
      window.shifted = (window.shifted ?? 0) + list.getEntries().reduce((sum, { value }) => sum + value, 0);
    }).observe({ type: "layout-shift", buffered: true })`);
    release();
    await page.getByText("300 tokens", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Needs attention (100)" }).waitFor();
    await ui.move(token, "127.0.0.2");
    mover.request = exampleRequest({ for: "move", requested_at: inDays(0), expires_at: inDays(0.01) });
    await page.getByRole("button", { name: "A client is waiting: show" }).waitFor();
    expect(Number(await page.evaluate("window.shifted ?? 0"))).toBeLessThan(0.02);
  });

  test("waits for a page that has not arrived yet", async () => {
    const { stock, release } = slowStock(300);
    const { page } = await openStock(stock, "/?sort=issued&page=10");
    await page.getByText("Loading this page").first().waitFor();
    release();
    await expect.poll(async () => (await shownRows(page))[0]).toBe("client 225");
  });

  test("shows a change that was made while it loaded", async () => {
    const { token_id } = await issue("changed meanwhile");
    const token = exampleToken({ token_id, comment: "changed meanwhile", issued_at: inDays(1) });
    const { stock, release } = slowStock(300);
    const { page, dialog, row, choose } = await openStock({ ...stock, tokens: [token, ...stock.tokens, token] });
    await choose(row("changed meanwhile"), "Revoke");
    await dialog.getByRole("button", { name: "Revoke token" }).click();
    await row("changed meanwhile").getByText("Revoked").waitFor();
    release();
    await page.getByText("301 tokens", { exact: true }).waitFor();
    await row("changed meanwhile").getByText("Revoked").waitFor();
  });

  test("reports that it could not be loaded, keeps partial results, and stays as it was if a refresh fails", async () => {
    let failing = 0;
    const beforePage = async (page: number) => {
      if (page === failing) throw new Error("The connection breaks.");
    };
    const { page } = await openStock({ tokens: numbered(150), beforePage });
    const failsAndRecovers = async (text: string) => {
      await page.getByText(text).waitFor();
      const rows = failing === 0 ? [] : await shownRows(page);
      // The number of the page that fails next: the second one of the next attempt, then the first one of a refresh.
      failing = failing === 0 ? 2 : 5;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText(text).waitFor({ state: "detached" });
      return rows;
    };
    await failsAndRecovers("The tokens could not be loaded");
    expect(await failsAndRecovers("Only 100 tokens could be loaded")).toHaveLength(25);
    await page.getByText("150 tokens", { exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "Select client 99" }).check();
    const rows = await shownRows(page);
    await page.getByRole("button", { name: "Refresh" }).click();
    expect(await failsAndRecovers("The tokens could not be refreshed")).toEqual(rows);
    await page.getByText("1 selected").waitFor();
    expect(await shownRows(page)).toEqual(rows);
  });

  test("stays as it is during a refresh, which shows its progress", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    // The refresh begins with the third page.
    const beforePage = (page: number) => (page === 3 ? released : Promise.resolve());
    const stock = { tokens: numbered(150), beforePage };
    const { page } = await openStock(stock);
    await page.getByText("150 tokens", { exact: true }).waitFor();
    stock.tokens.push(exampleToken({ token_id: "new", comment: "new", issued_at: inDays(0) }));
    const rows = await shownRows(page);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("Refreshing: 100 tokens loaded so far").waitFor();
    expect(await shownRows(page)).toEqual(rows);
    release();
    await page.getByText("151 tokens", { exact: true }).waitFor();
    expect((await shownRows(page))[0]).toBe("new");
  });
});
