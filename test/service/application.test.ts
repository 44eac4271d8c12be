import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { contains } from "../../lambdas/version-check/serve-version-check.ts";
import { startBrowser } from "../../tools/support/browser.ts";
import { chooseOption, looksRight, press, shownRows, shows } from "../browser/web-interface.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { operationExamples } from "../kit/support/examples.ts";
import { openConsole } from "../support/console.ts";
import { authorizationOf, loginOf, type OwnService, startService } from "../support/service.ts";
import { synthesiseLibrary } from "../support/stages.ts";

let service: OwnService;
beforeAll(async () => {
  service = await startService({ assemblyDirectory: await synthesiseLibrary(), described: libraryApi });
});
afterAll(() => service.close());

/** The ids of books. Two of them begin with the same letter. */
const ids = [
  "a0000000-0000-4000-8000-000000000001",
  "a0000000-0000-4000-8000-000000000002",
  "b0000000-0000-4000-8000-000000000001",
] as const;

const statusOf = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(service.baseUrl + path, { headers })).status;

test("a service without keys has no table, action, page or error for them", async () => {
  expect(Object.keys(libraryApi.tables)).toEqual(["books", "limits", "loans", "notices", "tokens", "usage"]);
  expect(Object.keys(libraryApi.errors)).not.toContain("key_not_found");
  await expect(service.admin({ action: "list_keys" })).rejects.toMatchObject({
    errorMessage: expect.not.stringContaining("key"),
  });
  expect(await statusOf("/admin/keys", await authorizationOf(service))).toBe(404);
  expect(await statusOf("/keys")).toBe(404);
  expect(await (await fetch(`${service.baseUrl}/settings.json`)).json()).toEqual({
    base_url: service.baseUrl,
    authority: expect.any(String),
    client_id: expect.any(String),
    pages: ["/", "/records/books", "/history"],
  });
});

test("the history, the daily search and the version checks work without the key tables", async () => {
  expect(await service.admin({ action: "history" })).toMatchObject({ changes: [{ kind: "issued" }] });
  await expect(service.admin({ action: "history", key_id: "1" })).rejects.toMatchObject({ errorType: "key_not_found" });
  expect(await service.invoke("notices", { task: "daily" })).toMatchObject({ failed: false, payload: "null" });

  const checks = functionsOf(libraryApi).flatMap(({ name, checks }) => checks.map((check) => ({ name, ...check })));
  for (const { name, request, response } of checks) {
    const { payload } = await service.invoke(name, request as object);
    expect(contains(JSON.parse(payload), response), `${name}: ${payload}`).toBe(true);
  }
});

test("a function may read only the parameters of its own secrets", async () => {
  const get = async (functionName: string, name: string) => {
    const response = await fetch(service.invokeUrl, {
      method: "POST",
      headers: { "x-amz-target": "AmazonSSM.GetParameters", authorization: `Credential=${functionName}/x` },
      body: JSON.stringify({ Names: [`/library/prod/${name}`], WithDecryption: true }),
    });
    return Object(await response.json());
  };
  const example = { Value: expect.stringContaining("example") };
  expect(await get("v1-get-quote", "quote_key")).toMatchObject({ Parameters: [example], InvalidParameters: [] });
  expect(await get("v1-get-quote", "other")).toMatchObject({ __type: "AccessDeniedException" });
  expect(await get("v1-add-book", "quote_key")).toMatchObject({ __type: "AccessDeniedException" });
  expect(await get("operator", "nothing")).toEqual({ Parameters: [], InvalidParameters: ["/library/prod/nothing"] });
});

test("a page of the web interface shows the application's records with the declared columns", async () => {
  const { request } = operationExamples(libraryApi).find(({ operation }) => operation.operationId === "putBook") ?? {};
  for (const [place, book_id] of ids.entries()) {
    const fields = { title: "Milk", pages: 4, genre: "science", language: "en", price: `${place + 9}.50` };
    await service.call("PUT", `/api/v1/book/${book_id}`, { json: { ...request?.json, ...fields } });
  }
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openConsole(browser, service, loginOf(service, "Admin"), { path: "/records/books" });
  await page.getByRole("row", { name: ids[0] }).waitFor();

  expect(await page.getByRole("columnheader").allInnerTexts()).toEqual(["book_id", "title", "pages", "updated_at"]);
  // The first part of a search finds nothing.
  await page.route("**/admin/records/books?prefix=*", async (route) => {
    const url = route.request().url();
    if (url.endsWith("&cursor=second")) return route.continue({ url: url.replace("&cursor=second", "") });
    const first = await (await route.fetch()).json();
    return route.fulfill({ json: { ...first, records: [], next_cursor: "second" } });
  });
  await page.getByRole("searchbox").fill("b");
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: ids[0] }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: ids[2] }).waitFor();

  await chooseOption(page, /^Find by/, "genre, language");
  await press(page, "Search");
  await shows(page, "Choose the language.");
  await chooseOption(page, /^genre/, "science");
  await chooseOption(page, /^language/, "en");
  await chooseOption(page, /^Order by price/, "Lowest first");
  await press(page, "Search");
  await page.getByRole("columnheader", { name: "price" }).waitFor();
  expect(await shownRows(page)).toEqual(ids.map((id) => expect.stringContaining(id)));
  await looksRight(page, "the records that an index finds");

  await press(page, `Show ${ids[1]}`);
  await shows(page.getByRole("dialog"), "Milk");
});
