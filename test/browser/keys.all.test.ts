import type { Locator, Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { closed, follow, hides, letFail, press, shownRows, titled, useInterface } from "./web-interface.ts";

const ui = useInterface();

const searchFor = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("searchbox", { name: "key_id begins with" }).fill(text);
  await press(page, "Search");
};

/** The text of the page itself. Text for screen readers follows it in the document. */
const shown = (page: Page, text: string | RegExp): Locator => page.getByRole("main").getByText(text).first();

/** A response with some of the keys that a search examines, and with the cursor of the next part. */
const partOfKeys = (ids: string[], next: string | null = null, examined = 26_000) => {
  const time = "2026-11-21T12:00:00.000Z";
  const common = { created_at: time, created_by: null, updated_at: time, updated_by: null };
  return { json: { keys: ids.map((key_id) => ({ key_id, ...common })), next_cursor: next, examined } };
};

/** Responds to the parts of a search by their cursors. The first part has none. */
const searchReturns = (page: Page, respond: (cursor: string | null, route: Route) => Promise<void> | void) =>
  page.route("**/admin/keys?prefix=*", (route) =>
    respond(new URL(route.request().url()).searchParams.get("cursor"), route),
  );

describe("a search for keys", () => {
  test("finds keys by prefix, in alphabetical order, and is kept in the address", async () => {
    await ui.addKeys("find-10", "find-2", "find-1", "FIND-3", "other");
    const { page, observed } = await ui.open("/keys");
    await searchFor(page, "find-");
    const found = ["find-1", "find-2", "find-10"];
    await expect.poll(() => shownRows(page)).toEqual(found);
    expect(page.url()).toBe(`${ui.service.baseUrl}/keys?prefix=find-`);
    await shown(page, /^3 of \d+ keys begin with this\.$/).waitFor();
    await page.reload();
    await expect.poll(() => shownRows(page)).toEqual(found);
    expect(await page.title()).toBe("find- – API key management – Integration API");

    await follow(page, "find-10");
    await titled(page, "find-10");
    const before = observed.requests.length;
    await follow(page, "Search results");
    await expect.poll(() => shownRows(page)).toEqual(found);
    // The search did not read the keys twice.
    expect(observed.requests.slice(before).filter((request) => request.url().includes("/admin/keys"))).toEqual([]);
  });

  test("shows an exact match while all other keys are still being read", async () => {
    await ui.addKeys("exact");
    const { page } = await ui.open("/keys");
    await searchReturns(page, () => {});
    await searchFor(page, "exact");
    await expect.poll(() => shownRows(page)).toEqual(["exact"]);
    await shown(page, "Searched 0 keys so far, found 1").waitFor();
  });

  test("continues automatically, shows its progress, can be stopped and resumed, and continues after a failure", async () => {
    const { page } = await ui.open("/keys");
    const held: Route[] = [];
    const requested = (count: number) =>
      expect.poll(() => held.length, { message: `The page requests the last part ${count} times.` }).toBe(count);
    await searchReturns(page, async (cursor, route) => {
      if (cursor === null) await route.fulfill(partOfKeys(["far-2"], "one"));
      else if (cursor === "one") await route.fulfill(partOfKeys([], "two"));
      else held.push(route);
    });
    await searchFor(page, "far-");
    await shown(page, "Searched 52,000 keys so far, found 1").waitFor();
    await requested(1);
    await press(page, "Stop");
    await page.getByRole("button", { name: "Continue" }).waitFor();
    expect(await page.evaluate("document.activeElement?.textContent")).toBe("Continue");
    expect(await seriousFlaws(page)).toEqual(noFlaws);

    await press(page, "Continue");
    await requested(2);
    await held[1]?.fulfill({ status: 503, json: { code: "unavailable", message: "Try again later." } });
    await shown(page, "The search was interrupted").waitFor();
    expect(await shownRows(page)).toEqual(["far-2"]);
    await press(page, "Try again");
    await requested(3);
    await held[2]?.fulfill(partOfKeys(["far-1"], null, 48_000));
    await shown(page, "2 of 100,000 keys begin with this.").waitFor();
    expect(await shownRows(page)).toEqual(["far-1", "far-2"]);
  });

  test("asks before continuing if it finds a large number of keys", async () => {
    const { page } = await ui.open("/keys");
    const ids = Array.from({ length: 1000 }, (_, index) => `many-${index}`);
    await searchReturns(page, (cursor, route) =>
      route.fulfill(cursor === null ? partOfKeys(ids, "one") : partOfKeys(["many-1000"])),
    );
    await searchFor(page, "many-");
    await shown(page, "Searched 26,000 keys so far, found 1,000").waitFor();
    await press(page, "Continue");
    await shown(page, "1,001 of 52,000 keys begin with this.").waitFor();
  });

  test("reports that a key does not exist, and requests no other key", async () => {
    await ui.addKeys("victim");
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
    await press(page, "Show all keys");
    await page.getByRole("link", { name: "victim" }).waitFor();
  });
});

test("an added key appears first on every page with a mark, and the message links to it", async () => {
  await ui.addKeys(...Array.from({ length: 52 }, (_, index) => `filler-${index}`));
  const { page, dialog } = await ui.open("/keys");
  await page.getByRole("table").getByRole("link").first().waitFor();
  const first = await shownRows(page);
  await press(page, "Next page");
  await expect.poll(() => shownRows(page)).not.toEqual(first);
  await press(page, "Previous page");
  await expect.poll(() => shownRows(page)).toEqual(first);

  await press(page, "Add a key");
  await dialog.getByLabel("key_id").fill("new-key");
  await press(dialog, "Generate");
  await press(dialog, "Add key");
  await closed(dialog);
  expect((await shownRows(page))[0]).toMatch(/^new-key\s*Just added$/);
  await follow(page, "Show the key");
  await titled(page, "new-key");
});

test("loaded keys stay on the page, which shows their age while a refresh fails", async () => {
  await ui.addKeys("stays");
  const { page } = await ui.open("/keys");
  await page.getByRole("table").getByRole("link").first().waitFor();
  const before = await shownRows(page);
  const repair = await letFail(page, "keys*");
  await press(page, "Refresh");
  await shown(page, "The keys could not be refreshed").waitFor();
  await shown(page, /What you see was loaded/).waitFor();
  expect(await shownRows(page)).toEqual(before);
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await repair();
  await press(page, "Try again");
  await hides(page, "The keys could not be refreshed");
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
