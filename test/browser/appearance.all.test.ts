import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { addresses } from "../../lambdas/shared/addresses.ts";
import { newObservedPage, noFlaws, noOverflow, overflow, seriousFlaws } from "../support/observed-page.ts";
import { dialogTrials, openDialog } from "./dialogs.ts";
import { clipboard, letFail, looksRight, useInterface } from "./web-interface.ts";

const ui = useInterface();

const anyText = `${"W".repeat(90)} مزامنة الفواتير 請求書 ${"ä".repeat(60)}`;

describe("every dialog", () => {
  test.each(Object.entries(dialogTrials(ui)))(
    "fits every width and has no serious accessibility flaw: %s",
    async (kind, trial) => {
      const console = await ui.open();
      // A list may omit items that are created while it loads.
      await console.page.getByRole("table").first().waitFor();
      await openDialog(console, trial, `${kind} ${"W".repeat(60)}`);
      await looksRight(console.page, kind, { scope: "[role=dialog]" });
    },
  );

  test.each(["issue", "edit", "confirm", "key add", "trust"] as const)(
    "fits with errors, in its fields or from the service: %s",
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

  test.each(["invite", "issue", "rotate"] as const)("fits with its result, and with a question: %s", async (kind) => {
    const console = await ui.open();
    const { page, dialog } = console;
    const trial = dialogTrials(ui)[kind];
    await openDialog(console, trial, `${kind} shown`);
    await dialog.getByRole("button").last().click();
    await dialog.getByRole("heading", { name: trial.result }).waitFor();
    if (kind === "invite") {
      const line = await dialog.getByRole("region", { name: "Line" }).innerText();
      await ui.redeem(/iti_\w+/.exec(line)?.[0] ?? "", "127.0.0.2");
      await dialog.getByRole("button", { name: /^Confirm 127/ }).waitFor();
    }
    await dialog.getByRole("button", { name: "Done" }).click();
    await looksRight(page, kind, { scope: "[role=dialog]" });
    await dialog.getByRole("button", { name: "Close without copying" }).click();
  });
});

const pages: [what: string, prepare: (page: Page) => Promise<string>, ready: (page: Page) => Locator][] = [
  [
    "a token with leaks, a rotation, a move that waits, and refusals",
    async () => {
      const { path, token_id, token } = await ui.issue(anyText);
      const long = "2001:db8:85a3:1111:2222:8a2e:1370:7334";
      await ui.leak(token_id, long, "2001:db8:85a3:1111:2222:8a2e:1370:7335");
      await ui.admin("dismiss_leak", { token_id, ip: long, invoked_by: "alice".repeat(20) });
      await ui.admin("rotate", { token_id, grace_seconds: 3_600 });
      await ui.use(token);
      return path;
    },
    (page) => page.getByText("The old token is still in use"),
  ],
  [
    "an invitation whose client waits",
    async () => {
      const { path, text } = await ui.invite("a client with a rather long name, and its owner ".repeat(4));
      await ui.redeem(text, "127.0.0.2");
      return path;
    },
    (page) => page.getByRole("button", { name: /^Confirm / }),
  ],
  [
    "a trusted workload with a token",
    async () => {
      const { path } = await ui.trust(anyText, { comment: anyText });
      await ui.exchange(anyText);
      return path;
    },
    (page) => page.getByRole("link", { name: "1 token", exact: true }),
  ],
  [
    "no tokens at all",
    async (page) => {
      await page.route("**/admin/tokens*", (route) => route.fulfill({ json: { tokens: [], next_cursor: null } }));
      return "/";
    },
    (page) => page.getByText("No tokens yet"),
  ],
  [
    "a list that is being loaded",
    async (page) => {
      await page.route("**/admin/keys*", () => {});
      return "/keys";
    },
    (page) => page.getByText("Loading keys"),
  ],
  ["the list", async () => "/", (page) => page.getByRole("row").nth(1)],
  ["a filter without a match", async () => "/?find=absent", (page) => page.getByText("No token matches")],
  ...(["tokens", "keys", "history"] as const).map((list): (typeof pages)[number] => [
    `a list that could not be loaded: ${list}`,
    async (page) => {
      await letFail(page, `${list}*`);
      return addresses[list];
    },
    (page) => page.getByRole("table").getByText("could not be loaded"),
  ]),
  [
    "the keys",
    async () => {
      await ui.addKeys("printed", "k".repeat(255), "مفتاح-".repeat(20), "鍵".repeat(120), "🗝️👩‍👩‍👧".repeat(10));
      return "/keys";
    },
    (page) => page.getByRole("row").nth(1),
  ],
  ["a key", async () => `/keys?key=${"k".repeat(255)}`, (page) => page.getByRole("heading", { name: "History" })],
  ["a key that does not exist", async () => "/keys?key=absent", (page) => page.getByText("There is no key")],
  ["a search without a match", async () => "/keys?prefix=absent", (page) => page.getByText("There is no such key")],
  [
    "the history, some of which is no longer kept",
    async () => {
      const { token_id } = await ui.issue(anyText);
      for (let count = 0; count < 22; count += 1) {
        await ui.admin("update", { token_id, rate_limit: count + 1, invoked_by: "b".repeat(60) });
      }
      return "/history";
    },
    (page) => page.getByText(/older changes are no longer kept/),
  ],
  [
    "an address without a page",
    async () => "/nowhere",
    (page) => page.getByRole("heading", { name: "Page not found" }),
  ],
];

test.each(pages)("fits every width and has no serious accessibility flaw: %s", async (what, prepare, ready) => {
  const { page } = await ui.open("/keys?key=opened", { group: "Superuser" });
  const address = await prepare(page);
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
  await ready(page).first().waitFor();
  await looksRight(page, what, { flawsAt: [390, 1440] });
});

describe("invisible characters", () => {
  const codesIn = (place: Locator): Promise<unknown> =>
    place
      .locator(".invisible-character")
      .evaluateAll((shown: { offsetWidth: number; dataset: { code: string } }[]) =>
        shown.map(({ offsetWidth, dataset }) => offsetWidth > 20 && dataset.code),
      );

  test("are shown in a key_id, in its v_code and in messages, and copying gives the original text", async () => {
    const [key_id, v_code] = ["look\u200balike\u202e", "\u009b\u202e".padEnd(64, "v")];
    await ui.admin("create_key", { key_id, v_code });
    await ui.addKeys("lookalike");
    const { page, dialog } = await ui.open(`/keys?key=${encodeURIComponent(key_id)}`);

    expect(await codesIn(page.getByRole("heading", { level: 1 }))).toEqual(["U+200B", "U+202E"]);
    await page.getByRole("button", { name: "Show the v_code of look[U+200B]alike[U+202E]" }).click();
    await page.getByText(v_code).waitFor();
    expect(await codesIn(page.locator(".v-code"))).toEqual(["U+009B", "U+202E"]);
    await page.getByRole("button", { name: /^Copy the v_code/ }).click();
    await page.getByText("Copied").waitFor();
    expect(await clipboard(page)).toBe(v_code);
    expect(await overflow(page)).toEqual(noOverflow);

    await page.getByRole("button", { name: "Delete" }).click();
    expect(await codesIn(dialog.locator("strong"))).toEqual(["U+200B", "U+202E"]);
    await dialog.getByRole("button", { name: "Delete key" }).click();
    await page.getByText("The key look[U+200B]alike[U+202E] was deleted.").waitFor();
    await page.goto(`${ui.service.baseUrl}/keys?key=lookalike`);
    await page.getByRole("button", { name: "Show the v_code of lookalike" }).waitFor();
  });
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

test("the menus are usable on a phone", async () => {
  await ui.issue("on a phone");
  const { page, row } = await ui.open("/?find=on+a+phone", { width: 390 });
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

test("a printed page is dark on white, without controls, with exact times, and nothing is cut off", async () => {
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
});

test("an unknown path shows a page in the site's colours that links to the start page", async () => {
  const [page, observed] = await newObservedPage(ui.browser);
  const response = await page.goto(`${ui.service.baseUrl}/keys/1234`);
  expect(response?.status()).toBe(404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).padding")).toBe("24px");
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  expect(observed.requests.filter((request) => !request.url().startsWith("data:"))).toHaveLength(1);
  const links = await page.getByRole("link").all();
  expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual(["/"]);
});
