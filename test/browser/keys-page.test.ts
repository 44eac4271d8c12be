import type { Browser, Locator, Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type Console, openConsole, useServiceInBrowser } from "../support/console.ts";
import { newObservedPage, noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { loginOf, type TestService } from "../support/service.ts";

let service: TestService;
let browser: Browser;
useServiceInBrowser((started) => {
  ({ service, browser } = started);
});

const open = (path = "/keys", width = 1280): Promise<Console> =>
  openConsole(browser, service, loginOf(service, "Admin"), { path, width });

const addKeys = async (...ids: string[]): Promise<void> => {
  for (const key_id of ids) await service.admin({ action: "create_key", key_id, v_code: "v".repeat(64) });
};

const searchFor = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("searchbox", { name: "The key_id, or how it begins" }).fill(text);
  await page.getByRole("button", { name: "Search" }).click();
};

const shownKeys = (page: Page): Promise<string[]> => page.getByRole("rowheader").allInnerTexts();

/** The text of the page itself. Text that is only announced comes after it in the document. */
const shown = (page: Page, text: string | RegExp): Locator => page.getByRole("main").getByText(text).first();

const pageOfKeys = (
  keys: string[],
  { next = null, examined = 26_000 }: { next?: string | null; examined?: number },
) => {
  const time = "2026-11-21T12:00:00.000Z";
  return {
    json: {
      keys: keys.map((key_id) => ({ key_id, created_at: time, created_by: null, updated_at: time, updated_by: null })),
      next_cursor: next,
      examined,
    },
  };
};

describe("a search", () => {
  test("finds the keys that begin with a text, in alphabetical order, and is part of the address", async () => {
    await addKeys("find-10", "find-2", "find-1", "FIND-3", "other");
    const { page, observed } = await open();
    await page.getByRole("table").getByRole("link").first().waitFor();
    await searchFor(page, "find-");
    await expect.poll(() => shownKeys(page)).toEqual(["find-1", "find-2", "find-10"]);
    expect(page.url()).toBe(`${service.baseUrl}/keys?prefix=find-`);
    await shown(page, /^Searched all \d+ keys, found 3$/).waitFor();
    await shown(page, "This has cost less than $0.0001.").waitFor();
    await page.reload();
    await expect.poll(() => shownKeys(page)).toEqual(["find-1", "find-2", "find-10"]);
    expect(await page.title()).toBe("find- – API key management – Integration API");

    await page.getByRole("link", { name: "find-10" }).click();
    await page.getByRole("heading", { name: "find-10" }).waitFor();
    expect(await page.title()).toBe("find-10 – API key management – Integration API");
    const before = observed.requests.length;
    await page.getByRole("link", { name: "Search results" }).click();
    await expect.poll(() => shownKeys(page)).toEqual(["find-1", "find-2", "find-10"]);
    // The search was not paid for twice.
    expect(observed.requests.slice(before).filter((request) => request.url().includes("/admin/keys"))).toEqual([]);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
  });

  test("states its cost before it starts, and shows the complete key_id while all others are still being read", async () => {
    await addKeys("exact");
    const { page } = await open();
    await shown(page, /A search reads every key: about \$0\.0005 per 100,000 keys .* in us-east-1\./).waitFor();
    await shown(page, /The keys always have the same order, which is not alphabetical\./).waitFor();
    await page.route("**/admin/keys?prefix=*", () => {});
    await searchFor(page, "exact");
    await expect.poll(() => shownKeys(page)).toEqual(["exact"]);
    await shown(page, "Searched 0 keys, found 1").waitFor();
  });

  test("goes on by itself through pages without matches, says how far it has come, can be stopped and continued", async () => {
    const { page } = await open();
    const held: Route[] = [];
    await page.route("**/admin/keys?prefix=*", async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get("cursor");
      if (cursor === null) await route.fulfill(pageOfKeys(["far-2"], { next: "one" }));
      else if (cursor === "one") await route.fulfill(pageOfKeys([], { next: "two" }));
      else held.push(route);
    });
    await searchFor(page, "far-");
    await shown(page, "Searched 52,000 keys, found 1").waitFor();
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Continue" }).waitFor();
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Continue");
    await shown(page, "This has cost about $0.0002.").waitFor();
    expect(await seriousFlaws(page)).toEqual(noFlaws);

    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => held.length).toBe(2);
    await held[1]?.fulfill(pageOfKeys(["far-1"], { examined: 48_000 }));
    await shown(page, "Searched all 100,000 keys, found 2").waitFor();
    expect(await shownKeys(page)).toEqual(["far-1", "far-2"]);
  });

  test("that is interrupted keeps what was found, and continues where it was", async () => {
    const { page } = await open();
    let isDown = true;
    await page.route("**/admin/keys?prefix=*", async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get("cursor");
      if (cursor === null) await route.fulfill(pageOfKeys(["down-1"], { next: "one" }));
      else if (isDown) await route.fulfill({ status: 503, json: { code: "unavailable", message: "Try again later." } });
      else await route.fulfill(pageOfKeys(["down-2"], {}));
    });
    await searchFor(page, "down-");
    await shown(page, "The search was interrupted").waitFor();
    expect(await shownKeys(page)).toEqual(["down-1"]);
    isDown = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => shownKeys(page)).toEqual(["down-1", "down-2"]);
  });

  test("that finds very many keys asks before it goes on", async () => {
    const { page } = await open();
    const ids = Array.from({ length: 1000 }, (_, index) => `many-${index}`);
    let calls = 0;
    await page.route("**/admin/keys?prefix=*", async (route) => {
      calls += 1;
      await route.fulfill(pageOfKeys(calls === 1 ? ids : ["many-1000"], { next: calls === 1 ? "one" : null }));
    });
    await searchFor(page, "many-");
    await shown(page, "Searched 26,000 keys, found 1,000").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await shown(page, "Searched all 52,000 keys, found 1,001").waitFor();
  });

  test.each(["not there", "victim?x", "victim%2Fx"])(
    "for %j, which does not exist, stays on the page, says so and asks for no other key",
    async (keyId) => {
      await service.call("POST", "/api/v1/key", { form: { key_id: "victim", v_code: "v".repeat(64) } });
      const { page, observed } = await open();
      await searchFor(page, keyId);
      await shown(page, "There is no such key").waitFor();
      await shown(page, `No key_id is or begins with “${keyId}”.`).waitFor();
      expect(await page.getByRole("searchbox").inputValue()).toBe(keyId);
      const asked = observed.requests.map((request) => request.url()).filter((url) => url.includes("/admin/keys/"));
      expect(asked).toEqual(keyId === "not there" ? [`${service.baseUrl}/admin/keys/not%20there`] : []);
      expect(await seriousFlaws(page)).toEqual(noFlaws);
      await page.getByRole("button", { name: "Show all keys" }).click();
      await page.getByRole("link", { name: "victim" }).waitFor();
    },
  );

  test("works with the keyboard alone", async () => {
    await addKeys("keyboard-1");
    const { page } = await open();
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("keyboard-");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "keyboard-1" }).waitFor();
    // The table is reached from the page.
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("content");
    const focused = () => page.evaluate("document.activeElement?.innerText?.trim() ?? ''");
    for (let presses = 0; presses < 40 && (await focused()) !== "keyboard-1"; presses += 1)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "keyboard-1" }).waitFor();
  });
});

describe("a key", () => {
  test("that was added is at the top of the page and marked, and the message leads to it", async () => {
    await addKeys(...Array.from({ length: 52 }, (_, index) => `filler-${index}`));
    const { page, dialog } = await open();
    await page.getByRole("table").getByRole("link").first().waitFor();
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("new-key");
    await dialog.getByRole("button", { name: "Generate" }).click();
    await dialog.getByRole("button", { name: "Add key" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await shownKeys(page))[0]).toMatch(/^new-key\s*Just added$/);
    await page.getByRole("link", { name: "Show the key" }).click();
    await page.getByRole("heading", { name: "new-key" }).waitFor();
  });

  test("that was changed is marked where it is, and one that was deleted goes, with the focus on the page", async () => {
    await addKeys("change-1", "change-2");
    const { page, dialog, row, choose } = await open("/keys?prefix=change-");
    await expect.poll(() => shownKeys(page)).toEqual(["change-1", "change-2"]);
    await choose(row("change-2"), "Replace v_code");
    await dialog.getByRole("button", { name: "Generate" }).click();
    await dialog.getByRole("button", { name: "Replace v_code" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => shownKeys(page)).toEqual(["change-1", expect.stringMatching(/^change-2\s*Just replaced$/)]);

    await choose(row("change-1"), "Delete");
    await dialog.getByRole("button", { name: "Delete key" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => shownKeys(page)).toHaveLength(1);
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("content");
  });

  test("gives its v_code only when asked, and takes it out of the page again when it is hidden", async () => {
    const v_code = "hidden-until-asked".padEnd(64, "x");
    await service.admin({ action: "create_key", key_id: "secretive", v_code });
    const { page, observed } = await open("/keys?prefix=secretive");
    const revealed = () => observed.requests.filter((request) => request.url().includes("/v_codes/")).length;
    await page.getByRole("link", { name: "secretive" }).click();
    await page.getByRole("button", { name: "Show the v_code of secretive" }).waitFor();
    expect(revealed()).toBe(0);
    await page.getByRole("button", { name: "Show the v_code of secretive" }).click();
    await page.getByText(v_code).waitFor();
    await page.getByRole("button", { name: "Hide the v_code of secretive" }).click();
    await page.getByText(v_code).waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(v_code);
    expect(revealed()).toBe(1);
  });

  test("that does not exist, or not any more, is reported without an error, and leads to a search", async () => {
    await addKeys("absent-2");
    const { page } = await open("/keys?key=absent-");
    await shown(page, "There is no key with this key_id").waitFor();
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.getByRole("link", { name: "Search for keys that begin like this" }).click();
    await page.getByRole("link", { name: "absent-2" }).waitFor();
  });
});

describe("when keys cannot be loaded", () => {
  test("those that were loaded stay, and the page says how old they are, until it works again", async () => {
    await addKeys("stays");
    const { page } = await open();
    const rows = page.getByRole("table").getByRole("link");
    await rows.first().waitFor();
    const before = await rows.allInnerTexts();
    await page.route("**/admin/keys*", (route) => route.abort());
    await page.getByRole("button", { name: "Refresh" }).click();
    await shown(page, "The keys could not be refreshed").waitFor();
    await shown(page, /What you see was loaded/).waitFor();
    expect(await rows.allInnerTexts()).toEqual(before);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.unroute("**/admin/keys*");
    await page.getByRole("button", { name: "Try again" }).click();
    await shown(page, "The keys could not be refreshed").waitFor({ state: "detached" });
  });

  test("because the browser is offline, every page says so until it is online again, and then loads what it could not", async () => {
    const { page } = await openConsole(browser, service, loginOf(service, "Admin"), { isolated: true });
    await page.getByRole("table", { name: "Tokens" }).waitFor();
    await page.context().setOffline(true);
    const message = shown(page, "You are offline");
    try {
      await message.waitFor();
      await page.getByRole("link", { name: "API key management" }).click();
      await shown(page, "The keys could not be loaded").waitFor();
      await message.waitFor();
      expect(await seriousFlaws(page)).toEqual(noFlaws);
    } finally {
      await page.context().setOffline(false);
    }
    await message.waitFor({ state: "detached" });
    await page.getByRole("table").getByRole("link").first().waitFor();
  });
});

describe("any text at any width", () => {
  const ids = [
    "k".repeat(255),
    "مفتاح-".repeat(20),
    "מפתח 12 (א)",
    "鍵".repeat(120),
    "🗝️👩‍👩‍👧".repeat(10),
    "any\u202etext",
  ];
  const overflowAt = (page: Page) =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

  const widths = [320, 390, 768, 1024, 1440];

  test("leaves the actions within reach from 320 to 1440 pixels, also in the dialogs", async () => {
    for (const key_id of ids) await service.admin({ action: "create_key", key_id, v_code: "v".repeat(64) });
    const { page, dialog } = await open("/keys");
    const fits = async (name: string, ...places: Locator[]): Promise<void> => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const areInWindow = async () => {
          const boxes = await Promise.all(places.map((place) => place.boundingBox()));
          return boxes.every((box) => box !== null && box.x >= 0 && box.x + box.width <= width);
        };
        await expect
          .poll(async () => [name, width, await overflowAt(page), await areInWindow()])
          .toEqual([name, width, 0, true]);
      }
    };
    for (const key_id of ids) {
      await page.goto(`${service.baseUrl}/keys?${new URLSearchParams({ prefix: key_id })}`);
      const actions = page.getByRole("button", { name: /^Actions on/ }).first();
      await actions.waitFor();
      await fits(key_id, actions);
    }
    const links = ["API settings", "API key management"].map((name) => page.getByRole("link", { name, exact: true }));
    await fits("the header", ...links, page.getByRole("button", { name: /^Account of/ }));

    await page.goto(`${service.baseUrl}/keys?${new URLSearchParams({ key: ids[0] ?? "" })}`);
    for (const [button, submit] of [
      ["Replace v_code", "Replace v_code"],
      ["Delete", "Delete key"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await fits(button, dialog.getByRole("button", { name: submit }));
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
    }
  });

  test("shows a tablet more columns than a phone", async () => {
    await addKeys("columns");
    const columns = async (width: number): Promise<string[]> => {
      const { page } = await open("/keys?prefix=columns", width);
      await page.getByRole("link", { name: "columns" }).waitFor();
      return page.getByRole("columnheader").allInnerTexts();
    };
    expect(await columns(390)).toEqual(["key_id", "Actions"]);
    expect(await columns(768)).toEqual(["key_id", "v_code", "Created", "Actions"]);
    expect(await columns(1440)).toEqual(["key_id", "v_code", "Created", "v_code replaced", "Actions"]);
  });

  test("never changes the order of the text around a key_id", async () => {
    await addKeys(ids[2] ?? "");
    const { page } = await open(`/keys?${new URLSearchParams({ prefix: ids[2] ?? "" })}`);
    const name = page.getByRole("rowheader").locator("bdi");
    await name.waitFor();
    expect(await name.innerText()).toBe(ids[2]);
  });
});

test("a printed page has its content in dark on white, without anything to press", async () => {
  await addKeys("printed");
  const { page } = await open("/keys?prefix=printed");
  await page.getByRole("link", { name: "printed" }).waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await expect.poll(background).toBe("rgb(22, 29, 38)");
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  await expect.poll(background).toBe("rgb(255, 255, 255)");
  await page.getByRole("link", { name: "printed" }).waitFor();
  await page
    .getByText(/ago|just now/)
    .first()
    .waitFor();
  for (const hidden of [page.getByRole("banner"), page.getByRole("button"), page.getByRole("searchbox")])
    expect(await hidden.filter({ visible: true }).count()).toBe(0);
});

test("an unknown path shows a page in the colours of the site, which leads to the start", async () => {
  const [page, observed] = await newObservedPage(browser);
  const response = await page.goto(`${service.baseUrl}/keys/1234`);
  expect(response?.status()).toBe(404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).padding")).toBe("24px");
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  expect(observed.violations).toEqual([]);
  expect(observed.requests.filter((request) => !request.url().startsWith("data:"))).toHaveLength(1);
  const links = await page.getByRole("link").all();
  expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual(["/"]);
});

test("an address without a page inside the interface says so, and leads to the pages", async () => {
  const { page } = await open();
  await page.evaluate("history.pushState(null, '', '/nowhere')");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  expect(await page.title()).toBe("Page not found – Integration API");
  await page.getByRole("main").getByRole("link", { name: "API key management" }).click();
  await page.getByRole("table", { name: "Keys" }).waitFor();
});
