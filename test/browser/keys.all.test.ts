import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { closed, follow, letFail, press, shownRows, titled, useInterface } from "./web-interface.ts";

const ui = useInterface();

const searchFor = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("searchbox", { name: "key_id begins with" }).fill(text);
  await press(page, "Search");
};

const addKey = async (page: Page, dialog: Locator, keyId: string): Promise<void> => {
  await press(page, "Add a key");
  await dialog.getByLabel("key_id").fill(keyId);
  await press(dialog, "Generate");
  await press(dialog, "Add key");
  await closed(dialog);
  await titled(page, keyId);
};

/** The text of the page itself. Text for screen readers follows it in the document. */
const shown = (page: Page, text: string | RegExp): Locator => page.getByRole("main").getByText(text).first();

/** A response with some of the keys that a search examines, and with the cursor of the next part. */
const partOfKeys = (ids: string[], next_cursor: string | null) => {
  const time = "2026-11-21T12:00:00.000Z";
  const common = { created_at: time, created_by: null, updated_at: time, updated_by: null };
  return { json: { keys: ids.map((key_id) => ({ key_id, ...common })), next_cursor, examined: 26_000 } };
};

describe("a search for keys", () => {
  test("finds keys by prefix, and is kept in the address", async () => {
    await ui.addKeys("find-10", "find-2", "find-1", "FIND-3", "other");
    const { page, dialog, observed } = await ui.open("/keys");
    await searchFor(page, "find-");
    const found = async () => (await shownRows(page)).toSorted();
    await expect.poll(found).toEqual(["find-1", "find-10", "find-2"]);
    expect(page.url()).toBe(`${ui.service.baseUrl}/keys?prefix=find-`);
    await page.reload();
    await expect.poll(found).toEqual(["find-1", "find-10", "find-2"]);
    expect(await page.title()).toBe("find- – API key management – Integration API");

    await follow(page, "find-10");
    await titled(page, "find-10");
    const before = observed.requests.length;
    await follow(page, "Search results");
    await expect.poll(found).toEqual(["find-1", "find-10", "find-2"]);
    // The search did not read the keys twice.
    expect(observed.requests.slice(before).filter((request) => request.url().includes("/admin/keys"))).toEqual([]);

    await addKey(page, dialog, "find-3");
    await follow(page, "Search results");
    await expect.poll(found).toEqual(["find-1", "find-10", "find-2", "find-3"]);
  });

  test("shows an exact match at once, and reads on until its page is full or it has read everything", async () => {
    await ui.addKeys("far-1");
    const { page } = await ui.open("/keys");
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const parts: Readonly<Record<string, [ids: string[], next: string | null]>> = {
      first: [[], "second"],
      second: [["far-1", "far-11"], "third"],
      third: [Array.from({ length: 50 }, (_, index) => `far-12${index}`), "fourth"],
      fourth: [["far-13"], null],
    };
    await page.route("**/admin/keys?prefix=*", async (route) => {
      await allowed;
      const [ids = [], next = null] = parts[new URL(route.request().url()).searchParams.get("cursor") ?? "first"] ?? [];
      await route.fulfill(partOfKeys(ids, next));
    });
    await searchFor(page, "far-1");
    await expect.poll(() => shownRows(page)).toEqual(["far-1"]);
    allow();
    await expect.poll(() => shownRows(page)).toHaveLength(52);
    expect((await shownRows(page)).slice(0, 3)).toEqual(["far-1", "far-11", "far-120"]);
    await press(page, "Next page");
    await expect.poll(() => shownRows(page)).toEqual(["far-13"]);
    expect(page.url()).toBe(`${ui.service.baseUrl}/keys?prefix=far-1&after=fourth`);
  });

  test("shows an exact match that the search finds although its own lookup failed", async () => {
    await ui.addKeys("odd-1");
    const { page } = await ui.open("/keys");
    await letFail(page, "keys/odd-1");
    await searchFor(page, "odd-1");
    await expect.poll(() => shownRows(page)).toEqual(["odd-1"]);
  });

  test("reports that a key does not exist, and requests no other key", async () => {
    await ui.addKeys("victim");
    const { page, observed } = await ui.open("/keys");
    for (const keyId of ["not there", "victim?x", "victim%2Fx"]) {
      observed.requests.length = 0;
      await searchFor(page, keyId);
      await expect.poll(() => page.title()).toContain(keyId);
      await shown(page, "There is no such key").waitFor();
      expect(await page.getByRole("searchbox").inputValue()).toBe(keyId);
      const asked = observed.requests.map((request) => request.url()).filter((url) => url.includes("/admin/keys/"));
      expect(asked).toEqual(keyId === "not there" ? [`${ui.service.baseUrl}/admin/keys/not%20there`] : []);
    }
    await follow(page, "Show all keys");
    await page.getByRole("link", { name: "victim" }).waitFor();
  });
});

test("the keys have pages, and an added key is shown on its own page", async () => {
  await ui.addKeys(...Array.from({ length: 52 }, (_, index) => `filler-${index}`));
  const { page, dialog } = await ui.open("/keys");
  await page.getByRole("table").getByRole("link").first().waitFor();
  const first = await shownRows(page);
  await press(page, "Next page");
  await expect.poll(() => shownRows(page)).not.toEqual(first);
  await press(page, "Previous page");
  await expect.poll(() => shownRows(page)).toEqual(first);

  await addKey(page, dialog, "new-key");
  await shown(page, "The key new-key was added.").waitFor();
});

test("every page reports that the browser is offline, and loads what is missing once it is online", async () => {
  await ui.addKeys("offline");
  const { page } = await ui.open("/", { isolated: true });
  await page.getByRole("table", { name: "Tokens" }).waitFor();
  await page.context().setOffline(true);
  const message = shown(page, "You are offline");
  await message.waitFor();
  await press(page, "Refresh");
  await follow(page, "API key management");
  await shown(page, "The keys will be loaded when you are online again.").waitFor();
  await message.waitFor();
  expect(await page.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual([]);
  expect(await page.getByText("Failed to fetch").count()).toBe(0);
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await page.context().setOffline(false);
  await message.waitFor({ state: "detached" });
  await page.getByRole("table").getByRole("link").first().waitFor();
});
