import { readFile } from "node:fs/promises";
import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { sentences, useInterface } from "./web-interface.ts";

const ui = useInterface();

const issue = (comment: string) => ui.issue(comment, { invoked_by: "alice" });
const addKey = (key_id: string, token: string) =>
  ui.service.call("POST", "/api/v1/key", { form: { key_id, v_code: "v".repeat(64) }, token });
const addKeysAs = async (invoked_by: string, ids: string[]): Promise<void> => {
  for (const key_id of ids) await ui.admin("create_key", { key_id, v_code: "v".repeat(64), invoked_by });
};

/** Returns the file that the page saves after a click. */
const savedAfter = async (page: Page, click: () => unknown): Promise<{ name: string; text: string }> => {
  const downloading = page.waitForEvent("download");
  await click();
  const download = await downloading;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
};

describe("the history page", () => {
  test("describes what admins, invocations and clients did, with links to each of them", async () => {
    const { token_id, token, path } = await issue("billing sync");
    await addKey("contract 1", token);
    const { page, dialog } = await ui.open(path);
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await dialog.getByRole("button", { name: "Revoke token" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "History", exact: true }).click();

    const told = [
      "admin@example.com revoked billing sync.",
      "The client of billing sync created the key contract 1.",
      "alice, by command, issued billing sync for 127.0.0.1.",
    ];
    await expect.poll(async () => (await sentences(page)).slice(0, 3)).toEqual(told);
    expect(await page.getByRole("row").nth(1).innerText()).toMatch(
      /\d{2}:\d{2}:\d{2} UTC.*From 127\.0\.0\.1, request id \S+$/s,
    );

    await page.getByRole("link", { name: "alice" }).first().click();
    await page.waitForURL(`${ui.service.baseUrl}/history?person=alice`);
    await expect.poll(async () => (await sentences(page)).every((text) => text.startsWith("alice"))).toBe(true);
    await page.goBack();
    await page.getByRole("link", { name: "contract 1" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/keys?key=contract+1`);
    await page.goBack();
    await page.getByRole("link", { name: "billing sync" }).first().click();
    await page.getByRole("heading", { level: 1, name: "billing sync" }).waitFor();
    await page.getByRole("link", { name: "What its client did" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/history?person=${token_id}`);
    await expect.poll(() => sentences(page)).toEqual(told.slice(1, 2));
  });

  test("shows only entries that match all filters; the filters are in the address, and survive a reload and Back", async () => {
    const { token_id, token } = await issue("filtered");
    for (const key_id of ["filtered 1", "filtered 2"]) await addKey(key_id, token);
    await ui.service.call("DELETE", "/api/v1/key/filtered%201", { token });
    const { page } = await ui.open("/history");
    await page.getByRole("row").nth(1).waitFor();

    await page.getByLabel("Person").fill(token_id);
    await page.keyboard.press("Enter");
    const byClient = ["deleted the key filtered 1.", "created the key filtered 2.", "created the key filtered 1."].map(
      (text) => `The client of filtered ${text}`,
    );
    await expect.poll(() => sentences(page)).toEqual(byClient);
    await page.getByRole("button", { name: /^Change/ }).click();
    await page.getByRole("option", { name: "Key deleted" }).click();
    await expect.poll(() => sentences(page)).toEqual(byClient.slice(0, 1));
    expect(page.url()).toBe(`${ui.service.baseUrl}/history?person=${token_id}&kind=deleted`);
    await page.reload();
    await expect.poll(() => sentences(page)).toEqual(byClient.slice(0, 1));
    expect(await page.getByLabel("Person").inputValue()).toBe(token_id);
    await page.goBack();
    await expect.poll(() => sentences(page)).toEqual(byClient);

    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("key_id").fill("filtered 1");
    await page.getByRole("button", { name: "Apply" }).click();
    await expect.poll(() => sentences(page)).toEqual([byClient[0], byClient[2]]);
    await page.getByRole("button", { name: "Between" }).click();
    await page.getByLabel("Until").fill("2026-01-01T00:00");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("No changes match").waitFor();
    expect(new URL(page.url()).searchParams.get("until")).toMatch(/^20(25-12-31|26-01-01)T\d\d:\d\d:00\.000Z$/);
    const address = page.url();
    await page.getByLabel("Since").fill("2026-02-01T00:00");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Since must be before Until.").waitFor();
    expect(page.url()).toBe(address);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await page.waitForURL(`${ui.service.baseUrl}/history?key_id=filtered+1&last=day`);
    await expect.poll(() => sentences(page)).toEqual([byClient[0], byClient[2]]);
  });

  test("suggests people and tokens, and finds people by the beginning of their names", async () => {
    const { token_id } = await issue("suggested");
    await ui.admin("update", { token_id, rate_limit: 7, invoked_by: "Agatha" });
    for (let count = 0; count < 2; count += 1) await issue("twice");
    const { page } = await ui.open("/history");
    await page.getByRole("row").nth(1).waitFor();
    const issued = "alice, by command, issued suggested for 127.0.0.1.";
    const edited = "Agatha, by command, edited suggested: at most 7 requests per minute.";

    await page.getByLabel("Token").fill("sugg");
    await page.getByRole("option", { name: /^suggested/ }).click();
    await expect.poll(() => sentences(page)).toEqual([edited, issued]);
    expect(await page.getByLabel("Token").inputValue()).toBe("suggested");
    await page.getByLabel("Person").fill("AGA");
    await page.keyboard.press("Enter");
    await expect.poll(() => sentences(page)).toEqual([edited]);
    expect(new URL(page.url()).search).toBe(`?person_prefix=AGA&token_id=${token_id}`);
    await page.getByLabel("Person").fill("al");
    await page.getByRole("option", { name: "alice", exact: true }).click();
    await expect.poll(() => sentences(page)).toEqual([issued]);
    expect(new URL(page.url()).searchParams.get("person")).toBe("alice");

    for (const [text, problem] of [
      ["nonsense", "No token has this name. Choose one from the list."],
      ["twice", "Several tokens have this name. Choose one."],
    ] as const) {
      await page.getByLabel("Token").fill(text);
      await page.keyboard.press("Enter");
      await page.getByText(problem).waitFor();
      await expect.poll(() => sentences(page)).toEqual([issued]);
    }
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.getByLabel("Token").fill(token_id);
    await page.keyboard.press("Enter");
    await page.getByText("No token has this name").waitFor({ state: "detached" });
    expect(await page.getByLabel("Token").inputValue()).toBe("suggested");
  });

  test("can be paged without losing or repeating a change, and every page can be linked", async () => {
    const ids = Array.from({ length: 110 }, (_, index) => `many-${index}`);
    await addKeysAs("many", ids);
    const { page } = await ui.open("/history?person=many");
    const seen: string[] = [];
    const read = async (last: string): Promise<void> => {
      await expect.poll(async () => (await sentences(page)).at(-1)).toContain(` ${last}.`);
      seen.push(...(await sentences(page)));
    };
    await read("many-60");
    await page.getByRole("button", { name: "Next page" }).click();
    await read("many-10");
    const link = page.url();
    await page.getByRole("button", { name: "Next page" }).click();
    await read("many-0");
    expect(seen).toEqual(ids.toReversed().map((id) => `many, by command, created the key ${id}.`));

    await page.goto(link);
    await expect.poll(async () => (await sentences(page))[0]).toContain(" many-59.");
    await page.goBack();
    await expect.poll(async () => (await sentences(page))[0]).toContain(" many-9.");
    await page.goto(`${ui.service.baseUrl}/history?after=nonsense`);
    await page.getByText("This page of the history does not exist").waitFor();
  });
});

describe("the export", () => {
  test("contains every matching change of all pages, newest first, and no formula", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `=1+${index}`);
    await addKeysAs("@exporter", ids);
    const { page } = await ui.open("/history?person=%40exporter");
    await page.locator(".change-sentence").first().waitFor();
    const { name, text } = await savedAfter(page, () => page.getByRole("button", { name: "Export as CSV" }).click());
    await page.getByText("60 changes exported").first().waitFor();
    expect(name).toMatch(/^history-\d{4}-\d{2}-\d{2}-\d{6}\.csv$/);
    const [titles = "", ...lines] = text.split("\r\n");
    expect(titles.startsWith("\ufeffTime,Change,Description,Person,")).toBe(true);
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => /,('=1\+\d+),/.exec(line)?.[1])).toEqual(ids.toReversed().map((id) => `'${id}`));
  });

  test("shows its progress, can be stopped, and continues after a failure", async () => {
    const { page } = await ui.open("/history");
    await page.locator(".change-sentence").first().waitFor();
    const held: Route[] = [];
    await page.route("**/admin/history?limit=1000*", async (route) => {
      const response = await route.fetch({ url: `${ui.service.baseUrl}/admin/history?limit=2` });
      if (new URL(route.request().url()).searchParams.has("cursor")) held.push(route);
      else await route.fulfill({ response, json: { ...(await response.json()), next_cursor: "second" } });
    });
    const button = page.getByRole("button", { name: "Export as CSV" });
    await button.click();
    await page.getByText("2 changes so far").first().waitFor();
    // A press right after the first would count as a double click, and stop nothing.
    const stop = page.getByRole("button", { name: "Stop the export" });
    const stopAndSee = async () => {
      if (await stop.isVisible()) await stop.click();
      return button.isVisible();
    };
    await expect.poll(stopAndSee).toBe(true);

    await button.click();
    await expect.poll(() => held.length).toBe(2);
    await held[1]?.fulfill({ status: 503, json: { message: "The service cannot reach its data." } });
    await page.getByText("The export was interrupted").waitFor();
    await page.getByText("2 changes have been collected; the export can go on from there.").waitFor();
    const again = page.getByRole("button", { name: "Try again" });
    const tryAgain = async () => {
      if (await again.isVisible()) await again.click();
      return held.length;
    };
    await expect.poll(tryAgain).toBe(3);
    const { text } = await savedAfter(page, () =>
      held[2]?.fulfill({ json: { changes: [], next_cursor: null, dropped: 0, examined: 0 } }),
    );
    expect(text.split("\r\n")).toHaveLength(4);
    await page.getByText("2 changes exported").first().waitFor();
  });
});

test("a key shows which client created and last changed it, and its history survives its deletion", async () => {
  const { token } = await issue("creator");
  await addKey("by a client", token);
  const { page, dialog } = await ui.open("/keys?key=by+a+client");
  await page.getByText("by the client of creator").waitFor();
  await page.getByRole("button", { name: "Replace v_code" }).click();
  await dialog.getByRole("button", { name: "Generate" }).click();
  await dialog.getByRole("button", { name: "Replace v_code" }).click();
  await page.getByText("by admin@example.com").waitFor();
  const told = ["admin@example.com replaced the v_code of this key.", "The client of creator created this key."];
  await expect.poll(() => sentences(page)).toEqual(told);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("button", { name: "Delete key" }).click();
  await dialog.waitFor({ state: "detached" });

  await page.goto(`${ui.service.baseUrl}/keys?key=by+a+client`);
  await page.getByText("This key was deleted").waitFor();
  await expect.poll(() => sentences(page)).toEqual(["admin@example.com deleted this key.", ...told]);
  expect(await seriousFlaws(page)).toEqual(noFlaws);
  await page.getByRole("link", { name: "Filter or export" }).click();
  await page.waitForURL(`${ui.service.baseUrl}/history?key_id=by+a+client`);
  await expect.poll(async () => (await sentences(page))[0]).toBe("admin@example.com deleted the key by a client.");
  await page.getByRole("link", { name: "creator" }).first().click();
  await page.getByRole("heading", { level: 1, name: "creator" }).waitFor();
});
