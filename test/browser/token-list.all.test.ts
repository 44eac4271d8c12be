import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Token } from "../../web/admin/api/types.ts";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { exampleRequest, exampleToken } from "../web/record-examples.ts";
import { leakOf, numbered, openStock, type Stock } from "./token-stock.ts";
import {
  chooseOption,
  closed,
  follow,
  inDays,
  letFail,
  looksRight,
  press,
  pressByTab,
  shownRows,
  shows,
  titled,
  useInterface,
} from "./web-interface.ts";

const ui = useInterface();

const issueMany = (comment: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async (_, index) => (await ui.issue(`${comment} ${index}`)).token_id));

/** An old token that is in use, with its comment as its id. */
const named = (comment: string, fields: Partial<Token> = {}): Token =>
  exampleToken({ token_id: comment, comment, issued_at: inDays(-200), last_used_at: inDays(-1), ...fields });

/** A token for each reason to need attention, and others that need none. */
const mixedStock = (): Stock => {
  const known = { ip: "203.0.113.9", dismissed_at: inDays(0), dismissed_by: "a" };
  const leaked = named("leaked");
  const recognised = named("recognised", { dismissed_addresses: [known] });
  const invitation = { expires_at: inDays(0.4), redeemed_at: null };
  const troubled = [
    leaked,
    recognised,
    named("expiring", { expires_at: inDays(20) }),
    named("unused", { expires_at: inDays(9), last_used_at: null }),
    named("idle", { last_used_at: inDays(-120) }),
    named("rotated", { expires_at: inDays(0.9), successor_id: "x", rotated_at: inDays(-2) }),
    named("invited", { state: "invited", ip: null, issued_at: inDays(-0.6), last_used_at: null, invitation }),
    named("revoked", { state: "revoked", last_used_at: null }),
  ];
  const leaks = [leakOf(leaked, ["203.0.113.7", "203.0.113.8"]), leakOf(recognised, [known.ip])];
  return { tokens: [...numbered(30), ...troubled], leaks };
};

describe("the view of the list", () => {
  test("keeps filters, order and page in the address, and survives a reload and a visit to a token", async () => {
    const { page } = await openStock(ui, { tokens: numbered(60) });
    await page.getByRole("searchbox", { name: "Find tokens" }).fill("client");
    await shows(page, "60 found");
    expect(await page.getByRole("button", { name: /^Expires within 30 days/ }).count()).toBe(0);
    await press(page.getByRole("columnheader", { name: "Name" }), /./);
    await press(page, "Next page");
    const address = `${ui.service.baseUrl}/?find=client&sort=comment&page=2`;
    await page.waitForURL(address);
    const rows = await shownRows(page);
    expect(rows[0]).toBe("client 25");

    const isTheSame = async () => {
      await expect.poll(() => shownRows(page)).toEqual(rows);
      expect(page.url()).toBe(address);
    };
    await page.reload();
    await isTheSame();
    await follow(page, "client 30");
    await titled(page, "client 30");
    await follow(page, "All tokens");
    await isTheSame();
    for (const _ of ["the token", "the list before the visit"]) await page.goBack();
    await isTheSame();
    await page.goBack();
    await page.waitForURL(`${ui.service.baseUrl}/?find=client&sort=comment`);
    await expect.poll(async () => (await shownRows(page))[0]).toBe("client 0");
  });

  test("keeps the focus while the admin types without adding history entries, and is undone by Back", async () => {
    const { page } = await openStock(ui, { tokens: numbered(60) });
    await chooseOption(page, /^Filter/, "Active");
    await chooseOption(page, /^Filter/, "All tokens");
    const entries = Number(await page.evaluate("history.length"));
    const search = page.getByRole("searchbox", { name: "Find tokens" });
    await search.pressSequentially("client 1");
    await page.waitForURL(`${ui.service.baseUrl}/?find=client+1`);
    expect(await page.evaluate("history.length")).toBe(entries);
    expect(await page.evaluate("document.activeElement?.type")).toBe("search");
    await shows(page, "11 found");

    await page.goBack();
    await page.waitForURL(`${ui.service.baseUrl}/?state=active`);
    expect(await search.inputValue()).toBe("");
    await page.goForward();
    await expect.poll(() => search.inputValue()).toBe("client 1");
  });
});

describe("what needs attention", () => {
  test("appears in one list, most urgent first, with the next step for each item, and can be filtered", async () => {
    const { tokens, leaks = [] } = mixedStock();
    const waits = named("waits", {
      state: "awaiting_confirmation",
      ip: null,
      last_used_at: null,
      request: exampleRequest({ requested_at: inDays(-0.001), expires_at: inDays(0.01) }),
      invitation: { expires_at: inDays(1), redeemed_at: null },
    });
    const { page, dialog } = await openStock(ui, { tokens: [...tokens, waits], leaks });
    await titled(page, "Needs attention (7)");
    await chooseOption(page, /^Filter/, "Leaked (1)");
    await expect.poll(() => shownRows(page)).toEqual([expect.stringMatching(/^leaked/)]);
    await shows(page.getByRole("row").nth(1), "Wrong address");
    await chooseOption(page, /^Filter/, "All tokens");
    await expect.poll(async () => (await shownRows(page)).length).toBe(25);
    const items = page.locator(".attention-items > li");
    const texts = [
      /^Somebody used the token of leaked from 203\.0\.113\.7 \(1 day ago\), .*No, revoke and invite again\s+Open$/s,
      /^waits wants to use its invitation at 203\.0\.113\.50\..*Confirm/s,
      /^The client of invited has not used its invitation, which ends in 9 hours\.\s+Open$/,
      /^rotated was rotated, but its client still uses the old token, which ends in 21 hours\.\s+Open$/,
      /^expiring expires in 20 days and is in use\.\s+Rotate$/,
      /^unused has never been used; it was issued 6 months ago\.\s+Revoke$/,
    ];
    await expect.poll(() => items.allInnerTexts()).toEqual(texts.map((text) => expect.stringMatching(text)));
    // The admin knows this address.
    expect(await page.getByText("203.0.113.9").count()).toBe(0);
    await looksRight(page, "what needs attention");
    for (const [button, title] of [
      ["Confirm 203.0.113.50 for waits", "Confirm the client's address"],
      ["No, revoke and invite again: leaked", "Revoke the token and invite again"],
      ["Rotate expiring", "Rotate the token"],
    ] as const) {
      await press(page, button);
      await titled(dialog, title);
      await page.keyboard.press("Escape");
      await closed(dialog);
    }
    await follow(page, "Open rotated");
    await page.waitForURL(`${ui.service.baseUrl}/?token=rotated`);
    await page.goBack();
    await press(page, "1 more");
    await page.getByRole("menuitem", { name: "Unused for 90 days (2)" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/?show=unused`);
    await expect.poll(async () => (await shownRows(page)).toSorted()).toEqual(["idle", "unused"]);
  });

  test("keeps the list short, and links to the remaining items in the table", async () => {
    const { page } = await openStock(ui, { tokens: numbered(1_200, { last_used_at: inDays(-100) }) });
    const items = page.locator(".attention-items > li");
    await titled(page, "Needs attention (1,200)");
    expect(await items.count()).toBe(5);
    await page.getByRole("button", { name: "1,195 more" }).waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await page.reload();
    await titled(page, "Needs attention (1,200)");
    expect(await items.count()).toBe(1);
    await press(page, "1,199 more");
    await page.getByRole("menuitem", { name: "Unused for 90 days (1,200)" }).click();
    await shows(page, "1,200 found");
  });

  test("is reported as incomplete if warnings could not be loaded", async () => {
    const { page } = await ui.open("/keys");
    await letFail(page, "leaks");
    await follow(page, "API settings");
    await shows(page, "Leak warnings could not be loaded");
  });
});

describe("several tokens", () => {
  test("can be selected across pages, and a summary says which of them are skipped and why", async () => {
    const ids = await issueMany("to revoke", 28);
    await ui.admin("revoke", { token_id: ids[0] });
    const { page, dialog } = await ui.open("/?find=to+revoke");
    const chooseForSelected = async (action: string) => {
      await press(page, "Selected tokens");
      await page.getByRole("menuitem", { name: action }).click();
    };
    await shows(page, "28 found");
    await page.getByRole("checkbox", { name: "Select all tokens on this page" }).check();
    await shows(page, "25 selected");
    await chooseForSelected("Select all 28");
    await shows(page, "28 selected");
    await chooseForSelected("Revoke…");
    await titled(dialog, "Revoke 27 tokens");
    for (const text of ["1 token skipped", "It was revoked.", "None of them was used in the last seven days."])
      await shows(dialog, text);
    await press(dialog, "Revoke 27 tokens");
    await shows(dialog, "27 of 27 tokens revoked");
    expect(new Set(await Promise.all(ids.map(ui.stateOf)))).toEqual(new Set(["revoked"]));
    expect(await seriousFlaws(page, "[role=dialog]")).toEqual(noFlaws);
  });

  test("can be revoked with the keyboard alone, in a dialog that stays open while it runs and can be stopped", async () => {
    await issueMany("by keys", 5);
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const { page, dialog } = await ui.open("/?find=by+keys", {
      // Chromium may let requests pass that are sent right after a page's first route is added.
      prepare: (page) => page.route("**/admin/tokens/*", (route) => allowed.then(() => route.fallback())),
    });
    await shows(page, "5 found");
    await page.getByRole("checkbox", { name: "Select all tokens on this page" }).press("Space");
    await page.getByRole("button", { name: "Selected tokens" }).press("Enter");
    await page.getByRole("menuitem", { name: "Revoke…" }).waitFor();
    await page.keyboard.press("Enter");
    await pressByTab(page, "Revoke 5 tokens");
    await shows(dialog, "0 of 5 tokens revoked");
    await page.keyboard.press("Escape");
    await page.goBack();
    await dialog.getByRole("button", { name: "Stop" }).focus();
    // A press right after the first would count as a double press, and stop nothing.
    const stopAgain = async () => {
      await page.keyboard.press("Enter");
      return dialog.getByText("Stopping").count();
    };
    await expect.poll(stopAgain, { message: "The dialog says that it is stopping." }).toBeGreaterThan(0);
    allow();
    await titled(dialog, "Result");
    await shows(dialog, "3 of 5 tokens revoked");
    await page.goBack();
    await closed(dialog);
    await shows(page, "2 selected");
    expect(page.url()).toBe(`${ui.service.baseUrl}/?find=by+keys`);
  });
});

test("the export contains the filtered tokens of all pages in the displayed order, without formulas or secrets", async () => {
  const numbers = Array.from({ length: 27 }, (_, index) => String(index + 10));
  const secrets: string[] = [];
  for (const number of numbers) secrets.push((await ui.issue(`=exported, "${number}"`)).token);
  const { page } = await ui.open("/?find=exported&sort=comment");
  await shows(page, "27 found");
  const downloading = page.waitForEvent("download");
  await press(page, "Export as CSV");
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^tokens-\d{4}-\d{2}-\d{2}\.csv$/);
  const csv = await readFile(await download.path(), "utf8");
  expect([...csv.matchAll(/"'=exported, ""(\d+)"""/g)].map(([, number]) => number)).toEqual(numbers);
  expect(secrets.filter((secret) => csv.includes(secret.slice(-50)))).toEqual([]);
});
