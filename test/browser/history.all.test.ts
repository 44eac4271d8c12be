import { readFile } from "node:fs/promises";
import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { noFlaws, seriousFlaws } from "../support/observed-page.ts";
import { chooseOption, press, sentences, shows, useInterface } from "./web-interface.ts";

const ui = useInterface();

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

describe("the history", () => {
  test("shows only changes that match all filters, and keeps the filters in the address, after a reload and with Back", async () => {
    const { token_id, token } = await ui.issue("filtered");
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
    await chooseOption(page, /^Change/, "Key deleted");
    await expect.poll(() => sentences(page)).toEqual(byClient.slice(0, 1));
    expect(page.url()).toBe(`${ui.service.baseUrl}/history?person=${token_id}&kind=deleted`);
    await page.reload();
    await expect.poll(() => sentences(page)).toEqual(byClient.slice(0, 1));
    expect(await page.getByLabel("Person").inputValue()).toBe(token_id);
    await page.goBack();
    await expect.poll(() => sentences(page)).toEqual(byClient);

    await press(page, "Clear filters");
    await page.getByLabel("key_id").fill("filtered 1");
    await press(page, "Apply");
    await expect.poll(() => sentences(page)).toEqual([byClient[0], byClient[2]]);
    await chooseOption(page, /^Time/, "Between");
    await page.getByLabel("Until").fill("2026-01-01T00:00");
    await press(page, "Apply");
    await shows(page, "No changes match");
    expect(new URL(page.url()).searchParams.get("until")).toMatch(/^20(25-12-31|26-01-01)T\d\d:\d\d:00\.000Z$/);
    const address = page.url();
    await page.getByLabel("Since").fill("2026-02-01T00:00");
    await press(page, "Apply");
    await shows(page, "Since must be before Until.");
    expect(page.url()).toBe(address);
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await chooseOption(page, /^Time/, "Last 24 hours");
    await page.waitForURL(`${ui.service.baseUrl}/history?key_id=filtered+1&last=day`);
    await expect.poll(() => sentences(page)).toEqual([byClient[0], byClient[2]]);
  });

  test("suggests people and tokens, and finds people by the beginning of their names", async () => {
    const { token_id } = await ui.issue("suggested", { invoked_by: "alice" });
    await ui.admin("update", { token_id, rate_limit: 7, invoked_by: "Agatha" });
    for (let count = 0; count < 2; count += 1) await ui.issue("twice");
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
      await shows(page, problem);
      await expect.poll(() => sentences(page)).toEqual([issued]);
    }
    expect(await seriousFlaws(page)).toEqual(noFlaws);
    await page.getByLabel("Token").fill(token_id);
    await page.keyboard.press("Enter");
    await page.getByText("No token has this name").waitFor({ state: "detached" });
    expect(await page.getByLabel("Token").inputValue()).toBe("suggested");
  });

  test("shows each change once across pages, and gives each page its own link", async () => {
    const ids = Array.from({ length: 110 }, (_, index) => `many-${index}`);
    await addKeysAs("many", ids);
    const { page } = await ui.open("/history?person=many");
    const seen: string[] = [];
    const read = async (last: string): Promise<void> => {
      await expect.poll(async () => (await sentences(page)).at(-1)).toContain(` ${last}.`);
      seen.push(...(await sentences(page)));
    };
    await read("many-60");
    await press(page, "Next page");
    await read("many-10");
    const link = page.url();
    await press(page, "Next page");
    await read("many-0");
    expect(seen).toEqual(ids.toReversed().map((id) => `many, by command, created the key ${id}.`));

    await page.goto(link);
    await expect.poll(async () => (await sentences(page))[0]).toContain(" many-59.");
    await page.goBack();
    await expect.poll(async () => (await sentences(page))[0]).toContain(" many-9.");
    await page.goto(`${ui.service.baseUrl}/history?after=nonsense`);
    await shows(page, "This page of the history does not exist");
  });
});

describe("the export of the history", () => {
  test("contains every matching change from all pages, newest first, and no formulas", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `=1+${index}`);
    await addKeysAs("@exporter", ids);
    const { page } = await ui.open("/history?person=%40exporter");
    await page.locator(".change-sentence").first().waitFor();
    const { name, text } = await savedAfter(page, () => page.getByRole("button", { name: "Export as CSV" }).click());
    await shows(page, "60 changes exported");
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
    // A press right after another one counts as a double press, and does nothing.
    const pressUntil = (name: string, isDone: () => boolean | Promise<boolean>, message: string) =>
      expect
        .poll(
          async () => {
            const pressed = page.getByRole("button", { name });
            if (await pressed.isVisible()) await pressed.click();
            return isDone();
          },
          { message },
        )
        .toBe(true);
    await button.click();
    await shows(page, "2 changes so far");
    await pressUntil("Stop the export", () => button.isVisible(), "The export can be started again.");

    await button.click();
    await expect.poll(() => held.length, { message: "The page requests the second part again." }).toBe(2);
    await held[1]?.fulfill({ status: 503, json: { message: "The service cannot reach its data." } });
    await shows(page, "The export was interrupted");
    await shows(page, "2 changes have been collected; the export can continue from there.");
    await pressUntil("Try again", () => held.length === 3, "The page requests the second part once more.");
    const { text } = await savedAfter(page, () =>
      held[2]?.fulfill({ json: { changes: [], next_cursor: null, dropped: 0, examined: 0 } }),
    );
    expect(text.split("\r\n")).toHaveLength(4);
    await shows(page, "2 changes exported");
  });
});
