import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { newObservedPage, noFlaws, noOverflow, overflow, seriousFlaws } from "../support/observed-page.ts";
import { exampleToken } from "../web/record-examples.ts";
import { dialogTrials, openDialog } from "./dialogs.ts";
import { leakOf, serveStock } from "./token-stock.ts";
import { clipboard, inDays, letFail, looksRight, press, shows, titled, useInterface } from "./web-interface.ts";

const ui = useInterface();

const comments = [
  "w".repeat(255),
  "a long comment with many words ".repeat(8),
  "شركة_المثال_للخدمات_اللوجستية".repeat(6),
  "日本語のとても長いコメント".repeat(12),
  "😀".repeat(120),
  "",
];
const longAddresses = Array.from({ length: 20 }, (_, index) => `2001:db8:85a3::8a2e:370:${index + 1000}`);
const anyToken = {
  ip: "2001:db8:85a3:1111:2222:8a2e:3777:7334",
  issued_by: "a".repeat(100),
  last_used_at: inDays(-50),
  expires_at: inDays(2),
};
const anyText = `${"W".repeat(90)} مزامنة الفواتير 請求書 ${"ä".repeat(60)}`;

test.each(Object.entries(dialogTrials(ui)))(
  "a dialog fits every width and has no serious accessibility flaw: %s",
  async (kind, trial) => {
    const console = await ui.open();
    // A list may omit items that are created while it loads.
    await console.page.getByRole("table").first().waitFor();
    await openDialog(console, trial, `${kind} ${"W".repeat(60)}`);
    await looksRight(console.page, kind, { scope: "[role=dialog]" });
  },
);

test.each(["issue", "edit", "confirm", "key add", "trust"] as const)(
  "a dialog with errors, in its fields or from the service, fits every width: %s",
  async (kind) => {
    const console = await ui.open();
    const { page, dialog } = console;
    await openDialog(console, { ...dialogTrials(ui)[kind], fill: async () => {} }, `${kind} in vain`);
    if (kind === "edit") {
      await letFail(page, "tokens/*");
      await dialog.getByLabel(/^Comment/).fill("changed");
    }
    await dialog.getByRole("button").last().click();
    const failure = dialog.getByText("The service cannot reach its data.");
    await dialog.locator("[aria-invalid=true]").or(failure).first().waitFor();
    await looksRight(page, kind, { scope: "[role=dialog]" });
  },
);

test.each(["invite", "issue", "rotate"] as const)(
  "a dialog with its result and a question fits every width: %s",
  async (kind) => {
    const console = await ui.open();
    const { page, dialog } = console;
    const trial = dialogTrials(ui)[kind];
    await openDialog(console, trial, `${kind} shown`);
    await dialog.getByRole("button").last().click();
    await titled(dialog, trial.result);
    if (kind === "invite") {
      const line = await dialog.getByRole("region", { name: "Command" }).innerText();
      await ui.redeem(/iti_\w+/.exec(line)?.[0] ?? "", "127.0.0.2");
      await dialog.getByRole("button", { name: /^Confirm 127/ }).waitFor();
    }
    await press(dialog, "Done");
    await looksRight(page, kind, { scope: "[role=dialog]" });
    await press(dialog, "Close without copying");
  },
);

interface Subject {
  /** Prepares what the page shows, and returns its address. */
  prepare: (page: Page) => string | Promise<string>;
  ready: (page: Page) => Locator;
}

const loadsInVain = (list: "tokens" | "keys" | "history"): Subject => ({
  prepare: async (page) => {
    await letFail(page, `${list}*`);
    return addresses[list];
  },
  ready: (page) => page.getByRole("table").getByText("could not be loaded"),
});

const firstRow = (page: Page) => page.getByRole("row").nth(1);

const pages: Record<string, Subject> = {
  "a token with leaks, a rotation, a move that waits, and refusals": {
    prepare: async () => {
      const { path, token_id, token } = await ui.issue(anyText);
      const long = "2001:db8:85a3:1111:2222:8a2e:1370:7334";
      await ui.leak(token_id, long, "2001:db8:85a3:1111:2222:8a2e:1370:7335");
      await ui.admin("dismiss_leak", { token_id, ip: long, invoked_by: "alice".repeat(20) });
      await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
      await ui.use(token);
      return path;
    },
    ready: (page) => page.getByText("The old token is still in use"),
  },
  "an invitation whose client waits": {
    prepare: async () => {
      const { path, text } = await ui.invite("a client with a rather long name, and its owner ".repeat(4));
      await ui.redeem(text, "127.0.0.2");
      return path;
    },
    ready: (page) => page.getByRole("button", { name: /^Confirm / }),
  },
  "a trusted workload with a token": {
    prepare: async () => {
      const { path } = await ui.trust(anyText, { comment: anyText });
      await ui.exchange(anyText);
      return path;
    },
    ready: (page) => page.getByRole("link", { name: "1 token", exact: true }),
  },
  "a list of any tokens": {
    prepare: async (page) => {
      const tokens = comments.flatMap((comment, index) => [
        exampleToken({ ...anyToken, comment, token_id: `a${index}` }),
        exampleToken({ ...anyToken, comment, token_id: `r${index}`, successor_id: "x", rotated_at: inDays(-60) }),
      ]);
      await serveStock(page, { tokens, leaks: tokens.map((token) => leakOf(token, longAddresses)) });
      return addresses.tokens;
    },
    ready: (page) => page.getByText("Wrong address"),
  },
  "no tokens at all": {
    prepare: async (page) => {
      await serveStock(page, { tokens: [] });
      return addresses.tokens;
    },
    ready: (page) => page.getByText("No tokens yet"),
  },
  "a filter without a match": { prepare: () => "/?find=absent", ready: (page) => page.getByText("No token matches") },
  "a list that is being loaded": {
    prepare: async (page) => {
      await page.route("**/admin/keys*", () => {});
      return addresses.keys;
    },
    ready: (page) => page.getByText("Loading keys"),
  },
  "tokens that could not be loaded": loadsInVain("tokens"),
  "keys that could not be loaded": loadsInVain("keys"),
  "a history that could not be loaded": loadsInVain("history"),
  "the keys": {
    prepare: async () => {
      await ui.addKeys("printed", "k".repeat(255), "مفتاح-".repeat(20), "鍵".repeat(120), "🗝️👩‍👩‍👧".repeat(10));
      return addresses.keys;
    },
    ready: firstRow,
  },
  "a key": {
    prepare: () => addresses.key("k".repeat(255)),
    ready: (page) => page.getByRole("heading", { name: "History" }),
  },
  "a key that does not exist": {
    prepare: () => addresses.key("absent"),
    ready: (page) => page.getByText("There is no key"),
  },
  "a search without a match": {
    prepare: () => "/keys?prefix=absent",
    ready: (page) => page.getByText("There is no such key"),
  },
  "the history, some of which is no longer kept": {
    prepare: async () => {
      const { token_id } = await ui.issue(anyText);
      for (let count = 0; count < 22; count += 1)
        await ui.admin("update", { token_id, rate_limit: count + 1, invoked_by: "b".repeat(60) });
      return addresses.history;
    },
    ready: (page) => page.getByText(/older changes are no longer kept/),
  },
  "an address without a page": {
    prepare: () => "/nowhere",
    ready: (page) => page.getByRole("heading", { name: "Page not found" }),
  },
};

test.each(Object.entries(pages))(
  "a page fits every width and has no serious accessibility flaw: %s",
  async (what, { prepare, ready }) => {
    const { page } = await ui.open(addresses.key("opened"), { group: "Superuser" });
    const address = await prepare(page);
    await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
    await ready(page).first().waitFor();
    await looksRight(page, what, { flawsAt: [390, 1440] });
  },
);

test("invisible characters of a key are shown as their codes, and copied unchanged", async () => {
  const codesIn = (place: Locator): Promise<unknown> =>
    place
      .locator(".invisible-character")
      .evaluateAll((shown: { offsetWidth: number; dataset: { code: string } }[]) =>
        shown.map(({ offsetWidth, dataset }) => offsetWidth > 20 && dataset.code),
      );
  const [key_id, v_code] = ["look\u200balike\u202e", "\u009b\u202e".padEnd(64, "v")];
  await ui.admin("create_key", { key_id, v_code });
  await ui.addKeys("lookalike");
  const { page, dialog } = await ui.open(addresses.key(key_id));

  expect(await codesIn(page.getByRole("heading", { level: 1 }))).toEqual(["U+200B", "U+202E"]);
  await press(page, "Show the v_code of look[U+200B]alike[U+202E]");
  await shows(page, v_code);
  expect(await codesIn(page.locator(".v-code"))).toEqual(["U+009B", "U+202E"]);
  await press(page, /^Copy the v_code/);
  await shows(page, "Copied");
  expect(await clipboard(page)).toBe(v_code);

  await press(page, "Delete");
  expect(await codesIn(dialog.locator("strong"))).toEqual(["U+200B", "U+202E"]);
  await press(dialog, "Delete key");
  await shows(page, "The key look[U+200B]alike[U+202E] was deleted.");
  await page.goto(ui.service.baseUrl + addresses.key("lookalike"));
  await page.getByRole("button", { name: "Show the v_code of lookalike" }).waitFor();
});

test("a tablet shows more columns than a phone, and the text around a key_id keeps its order", async () => {
  const key_id = "מפתח 12 (א)";
  await ui.addKeys(key_id);
  const { page } = await ui.open(`/keys?${new URLSearchParams({ prefix: key_id })}`);
  const name = page.getByRole("rowheader").locator("bdi");
  await name.waitFor();
  expect(await name.innerText()).toBe(key_id);
  for (const [width, columns] of [
    [390, ["key_id", "Actions"]],
    [768, ["key_id", "v_code", "Created", "Actions"]],
    [1440, ["key_id", "v_code", "Created", "v_code replaced", "Actions"]],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.getByRole("columnheader").allInnerTexts()).toEqual(columns);
  }
});

test("the menus are usable on a phone, whose width the buttons fill", async () => {
  await ui.issue("on a phone");
  const { page, row } = await ui.open("/?find=on+a+phone", { width: 390 });
  const invite = await page.getByRole("button", { name: "Invite a client" }).boundingBox();
  expect(invite).toMatchObject({ x: 16, width: 358 });
  const account = page.getByRole("button", { name: /^Account of/ });
  for (const button of [account, row("on a phone").getByRole("button", { name: /^Actions on/ })]) {
    await button.click();
    for (const item of await page.getByRole("menuitem").all()) {
      const { x, width } = (await item.boundingBox()) ?? { x: -1, width: 0 };
      expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    }
    await page.keyboard.press("Escape");
  }
});

test("a printed page is dark on white, without controls, with exact times, and not cut off", async () => {
  const { path, token_id } = await ui.issue("on paper");
  await ui.leak(token_id, "192.0.2.1", "2001:db8:85a3:1111:2222:8a2e:1370:7335");
  const { page } = await ui.open(path);
  await page.getByRole("table", { name: "Wrong addresses" }).waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await expect.poll(background).toBe("rgb(22, 29, 38)");
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  await expect.poll(background).toBe("rgb(255, 255, 255)");
  expect(await overflow(page)).toEqual(noOverflow);
  for (const hidden of ["banner", "button", "searchbox"] as const) {
    expect(await page.getByRole(hidden).filter({ visible: true }).count()).toBe(0);
  }
  const printed = await page.evaluate(`getComputedStyle(document.querySelector("table .moment"), "::after").content`);
  expect(printed).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (UTC|GMT)/);

  await page.goto(ui.service.baseUrl);
  await shows(page.getByRole("table", { name: "Tokens" }), "Name");
  expect(await page.getByRole("checkbox").filter({ visible: true }).count()).toBe(0);
});

test("an unknown path shows a page in the site's style that loads nothing and links to the start page", async () => {
  const [page, observed] = await newObservedPage(ui.browser);
  await page.goto(`${ui.service.baseUrl}/keys/1234`);
  await titled(page, "Page not found");
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).padding")).toBe("24px");
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  expect(observed.requests.filter((request) => !request.url().startsWith("data:"))).toHaveLength(1);
  expect(await page.getByRole("link").getAttribute("href")).toBe("/");
});
