import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { functionsOf } from "../../infra/functions.ts";
import { contains } from "../../lambdas/version-check/serve-version-check.ts";
import { synthesise } from "../../local/synthesise.ts";
import { startBrowser } from "../../tools/support/browser.ts";
import { notesApi } from "../fixtures/notes/api.ts";
import { openConsole } from "../support/console.ts";
import { authorizationOf, loginOf, type OwnService, startService } from "../support/service.ts";

let folder: string;
let service: OwnService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-notes-"));
  const assemblyDirectory = await synthesise(folder, { app: "node test/fixtures/notes/app.ts" });
  service = await startService({ assemblyDirectory, described: notesApi });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const statusOf = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(service.baseUrl + path, { headers })).status;

test("a service without keys has no table, action, page or error for them", async () => {
  expect(Object.keys(notesApi.tables)).toEqual(["limits", "notes", "notices", "tokens", "usage"]);
  expect(Object.keys(notesApi.errors)).not.toContain("key_not_found");
  await expect(service.admin({ action: "list_keys" })).rejects.toMatchObject({
    errorMessage: expect.not.stringContaining("key"),
  });
  expect(await statusOf("/admin/keys", await authorizationOf(service))).toBe(404);
  expect(await statusOf("/keys")).toBe(404);
  expect(await (await fetch(`${service.baseUrl}/settings.json`)).json()).toEqual({
    base_url: service.baseUrl,
    authority: expect.any(String),
    client_id: expect.any(String),
    pages: ["/", "/records/notes", "/history"],
  });
});

test("the history, the daily search and the version checks work without the key tables", async () => {
  expect(await service.admin({ action: "history" })).toMatchObject({ changes: [{ kind: "issued" }] });
  await expect(service.admin({ action: "history", key_id: "1" })).rejects.toMatchObject({ errorType: "key_not_found" });
  expect(await service.invoke("notices", { task: "daily" })).toMatchObject({ failed: false, payload: "null" });

  const checks = functionsOf(notesApi).flatMap(({ name, checks }) => checks.map((check) => ({ name, ...check })));
  for (const { name, request, response } of checks) {
    const { payload } = await service.invoke(name, request as object);
    expect(contains(JSON.parse(payload), response), `${name}: ${payload}`).toBe(true);
  }
});

test("admins see only the declared columns of the application's records, page by page", async () => {
  for (const note_id of ["a-1", "a-2", "b-1"]) {
    await service.call("POST", "/api/v1/note", { form: { note_id, text: "Milk" } });
  }
  const list = (fields: object) => service.admin({ action: "list_records", store: "notes", ...fields });

  const { records, ...page } = await list({});
  expect(page).toMatchObject({
    id_column: "note_id",
    columns: { note_id: "text", text: "text", length: "number", updated_at: "time" },
  });
  const a1 = { note_id: "a-1", text: "Milk", length: 4, updated_at: expect.any(String) };
  expect(records).toHaveLength(3);
  expect(records).toContainEqual(a1);
  expect(await list({ prefix: "b" })).toMatchObject({ records: [{ note_id: "b-1" }], next_cursor: null, examined: 3 });
  const first = await list({ limit: 2 });
  const second = await list({ limit: 2, cursor: first.next_cursor });
  expect([first.records, second.records].flat()).toEqual(records);

  const headers = await authorizationOf(service);
  const response = await fetch(`${service.baseUrl}/admin/records/notes?prefix=a-1`, { headers });
  expect(await response.json()).toMatchObject({ records: [a1] });
  expect(await statusOf("/admin/records/tokens", headers)).toBe(422);
  await expect(list({ columns: "secret" })).rejects.toMatchObject({ errorType: "validation_failed" });
});

test("a page of the web interface shows the application's records with the declared columns", async () => {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openConsole(browser, service, loginOf(service, "Admin"), { path: "/records/notes" });
  await page.getByRole("row", { name: "a-1" }).waitFor();

  expect(await page.getByRole("columnheader").allInnerTexts()).toEqual(["note_id", "text", "length", "updated_at"]);
  await page.getByRole("searchbox").fill("b");
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: "a-1" }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: "b-1" }).waitFor();
});
