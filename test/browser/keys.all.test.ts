import type { Locator, Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { letFail, pressByTab, shownRows, useInterface } from "./web-interface.ts";

const ui = useInterface();
const { addKeys } = ui;

const searchFor = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("searchbox", { name: "The key_id, or how it begins" }).fill(text);
  await page.getByRole("button", { name: "Search" }).click();
};

/** The text of the page itself. Text for screen readers follows it in the document. */
const shown = (page: Page, text: string | RegExp): Locator => page.getByRole("main").getByText(text).first();

interface Part {
  next?: string;
  examined?: number;
}

/** A response with some of the keys that a search examines. */
const partOfKeys = (ids: string[], { next, examined = 26_000 }: Part = {}) => {
  const time = "2026-11-21T12:00:00.000Z";
  const common = { created_at: time, created_by: null, updated_at: time, updated_by: null };
  return { json: { keys: ids.map((key_id) => ({ key_id, ...common })), next_cursor: next ?? null, examined } };
};

/** Responds to the parts of a search by their cursors. The first part has none. */
const searchReturns = (page: Page, respond: (cursor: string | null, route: Route) => Promise<void> | void) =>
  page.route("**/admin/keys?prefix=*", (route) =>
    respond(new URL(route.request().url()).searchParams.get("cursor"), route),
  );

describe("a key search", () => {
  test("finds the keys with a prefix, in alphabetical order, and is part of the address", async () => {
    await addKeys("find-10", "find-2", "find-1", "FIND-3", "other");
    const { page, observed } = await ui.open("/keys");
    await page.getByRole("table").getByRole("link").first().waitFor();
    await searchFor(page, "find-");
    const found = ["find-1", "find-2", "find-10"];
    await expect.poll(() => shownRows(page)).toEqual(found);
    expect(page.url()).toBe(`${ui.service.baseUrl}/keys?prefix=find-`);
    await shown(page, /^3 of \d+ keys begin with this\.$/).waitFor();
    await page.reload();
    await expect.poll(() => shownRows(page)).toEqual(found);
    expect(await page.title()).toBe("find- – API key management – Integration API");

    await page.getByRole("link", { name: "find-10" }).click();
    await page.getByRole("heading", { name: "find-10" }).waitFor();
    expect(await page.title()).toBe("find-10 – API key management – Integration API");
    const before = observed.requests.length;
    await page.getByRole("link", { name: "Search results" }).click();
    await expect.poll(() => shownRows(page)).toEqual(found);
    // The search did not read the keys twice.
    expect(observed.requests.slice(before).filter((request) => request.url().includes("/admin/keys"))).toEqual([]);
  });

  test("shows an exact match while all other keys are still being read", async () => {
    await addKeys("exact");
    const { page } = await ui.open("/keys");
    await searchReturns(page, () => {});
    await searchFor(page, "exact");
    await expect.poll(() => shownRows(page)).toEqual(["exact"]);
    await shown(page, "Searched 0 keys so far, found 1").waitFor();
  });

  test("continues by itself, shows its progress, can be stopped and resumed, and continues after a failure", async () => {
    const { page } = await ui.open("/keys");
    const held: Route[] = [];
    await searchReturns(page, async (cursor, route) => {
      if (cursor === null) await route.fulfill(partOfKeys(["far-2"], { next: "one" }));
      else if (cursor === "one") await route.fulfill(partOfKeys([], { next: "two" }));
      else held.push(route);
    });
    await searchFor(page, "far-");
    await shown(page, "Searched 52,000 keys so far, found 1").waitFor();
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Continue" }).waitFor();
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Continue");
    expect(await seriousFlaws(page)).toEqual(noFlaws);

    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => held.length).toBe(2);
    await held[1]?.fulfill({ status: 503, json: { code: "unavailable", message: "Try again later." } });
    await shown(page, "The search was interrupted").waitFor();
    expect(await shownRows(page)).toEqual(["far-2"]);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => held.length).toBe(3);
    await held[2]?.fulfill(partOfKeys(["far-1"], { examined: 48_000 }));
    await shown(page, "2 of 100,000 keys begin with this.").waitFor();
    expect(await shownRows(page)).toEqual(["far-1", "far-2"]);
  });

  test("asks before it continues if it finds very many keys", async () => {
    const { page } = await ui.open("/keys");
    const ids = Array.from({ length: 1000 }, (_, index) => `many-${index}`);
    await searchReturns(page, (cursor, route) =>
      route.fulfill(cursor === null ? partOfKeys(ids, { next: "one" }) : partOfKeys(["many-1000"])),
    );
    await searchFor(page, "many-");
    await shown(page, "Searched 26,000 keys so far, found 1,000").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await shown(page, "1,001 of 52,000 keys begin with this.").waitFor();
  });

  test("stays on the page and says so if a key does not exist, and requests no other key", async () => {
    await addKeys("victim");
    const { page, observed } = await ui.open("/keys");
    for (const keyId of ["not there", "victim?x", "victim%2Fx"]) {
      observed.requests.length = 0;
      await searchFor(page, keyId);
      await expect.poll(() => page.title()).toContain(keyId);
      await shown(page, "There is no such key").waitFor();
      await shown(page, "No key begins with this.").waitFor();
      expect(await page.getByRole("searchbox").inputValue()).toBe(keyId);
      const asked = observed.requests.map((request) => request.url()).filter((url) => url.includes("/admin/keys/"));
      expect(asked).toEqual(keyId === "not there" ? [`${ui.service.baseUrl}/admin/keys/not%20there`] : []);
    }
    await page.getByRole("button", { name: "Show all keys" }).click();
    await page.getByRole("link", { name: "victim" }).waitFor();
  });

  test("works with the keyboard alone", async () => {
    await addKeys("keyboard-1");
    const { page } = await ui.open("/keys");
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("keyboard-");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "keyboard-1" }).waitFor();
    // The table can be reached from the page.
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("content");
    await pressByTab(page, "keyboard-1");
    await page.getByRole("heading", { name: "keyboard-1" }).waitFor();
  });
});

describe("a key", () => {
  test("is added, revealed on request, replaced and deleted", async () => {
    const { page, dialog, row, choose, observed } = await ui.open("/keys");
    const [keyId, vCode] = ["browser/key 1", "😀".repeat(64)];
    const stored = async () => (await ui.service.call("GET", `/api/v1/key/${encodeURIComponent(keyId)}`)).json();
    const add = async (key_id: string, v_code: string) => {
      await dialog.getByLabel("key_id").fill(key_id);
      await dialog.getByLabel("v_code").fill(v_code);
      await dialog.getByRole("button", { name: "Add key" }).click();
    };
    await addKeys("taken");
    await page.getByRole("button", { name: "Add a key" }).first().click();
    await add("a\u200bb", "short");
    await dialog.getByText("This key_id contains characters that cannot be seen: U+200B.").waitFor();
    await dialog.getByText("5 of 64 characters").waitFor();
    await dialog.getByText("The v_code must be 64 characters.").waitFor();
    await add("taken", vCode);
    await dialog.getByText("The key_id has already been taken.").waitFor();
    await dialog.getByRole("button", { name: "Add key", disabled: false }).waitFor();
    await add(keyId, vCode);
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ v_code: vCode });

    await row(keyId).waitFor();
    const revealed = () => observed.requests.filter((request) => request.url().includes("/v_codes/")).length;
    expect([(await page.content()).includes(vCode), revealed()]).toEqual([false, 0]);
    await page.getByRole("button", { name: `Show the v_code of ${keyId}` }).click();
    await page.getByText(vCode).waitFor();
    await page.getByRole("button", { name: `Hide the v_code of ${keyId}` }).click();
    await page.getByText(vCode).waitFor({ state: "detached" });
    expect([(await page.content()).includes(vCode), revealed()]).toEqual([false, 1]);

    await choose(row(keyId), "Replace v_code");
    await dialog.getByRole("button", { name: "Generate" }).click();
    await dialog.getByRole("button", { name: "Replace v_code" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).not.toMatchObject({ v_code: vCode });
    await choose(row(keyId), "Delete");
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject({ code: "key_not_found" });
  });

  test("that was added appears first on any page, marked, and the message leads to it", async () => {
    await addKeys(...Array.from({ length: 52 }, (_, index) => `filler-${index}`));
    const { page, dialog } = await ui.open("/keys");
    await page.getByRole("table").getByRole("link").first().waitFor();
    const first = await shownRows(page);
    await page.getByRole("button", { name: "Next page" }).click();
    await expect.poll(() => shownRows(page)).not.toEqual(first);
    await page.getByRole("button", { name: "Previous page" }).click();
    await expect.poll(() => shownRows(page)).toEqual(first);

    await page.getByRole("button", { name: "Add a key" }).first().click();
    await dialog.getByLabel("key_id").fill("new-key");
    await dialog.getByRole("button", { name: "Generate" }).click();
    await dialog.getByRole("button", { name: "Add key" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await shownRows(page))[0]).toMatch(/^new-key\s*Just added$/);
    await page.getByRole("link", { name: "Show the key" }).click();
    await page.getByRole("heading", { name: "new-key" }).waitFor();
  });
});

describe("if keys cannot be loaded", () => {
  test("the page keeps the loaded keys and shows their age until loading works again", async () => {
    await addKeys("stays");
    const { page } = await ui.open("/keys");
    await page.getByRole("table").getByRole("link").first().waitFor();
    const before = await shownRows(page);
    const repair = await letFail(page, "keys*");
    await page.getByRole("button", { name: "Refresh" }).click();
    await shown(page, "The keys could not be refreshed").waitFor();
    await shown(page, /What you see was loaded/).waitFor();
    expect(await shownRows(page)).toEqual(before);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await repair();
    await page.getByRole("button", { name: "Try again" }).click();
    await shown(page, "The keys could not be refreshed").waitFor({ state: "detached" });
  });

  test("because the browser is offline, every page says so, and loads what is missing once it is online", async () => {
    await addKeys("offline");
    const { page } = await ui.open("/", { isolated: true });
    await page.getByRole("table", { name: "Tokens" }).waitFor();
    await page.context().setOffline(true);
    const message = shown(page, "You are offline");
    try {
      await message.waitFor();
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByRole("link", { name: "API key management" }).click();
      await shown(page, "The keys will be loaded when you are online again.").waitFor();
      await message.waitFor();
      expect(await page.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual([]);
      expect(await page.getByText("Failed to fetch").count()).toBe(0);
      expect(await seriousFlaws(page)).toEqual(noFlaws);
    } finally {
      await page.context().setOffline(false);
    }
    await message.waitFor({ state: "detached" });
    await page.getByRole("table").getByRole("link").first().waitFor();
  });
});
