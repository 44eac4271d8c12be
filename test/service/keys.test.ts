import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { writtenKey } from "../../lambdas/domain/keys/key-fields.ts";
import { type CallOptions, sharedService, type TestService } from "../support/service.ts";

/*
 * Tests one path through the key endpoints, and what only the whole service can show. The tests of the code cover the rules for
 * a form, a condition or a page, and test/contract/documented-responses.test.ts covers every refusal.
 */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const code = (character: string) => ({ v_code: character.repeat(64) });
const pathOf = (keyId: string): string => `/api/v1/key/${encodeURIComponent(keyId)}`;
const create = (key_id: string, v_code = code("a")) =>
  service.call("POST", "/api/v1/key", { form: { key_id, ...v_code } });
const put = (path: string, character: string, headers: CallOptions["headers"] = {}) =>
  service.call("PUT", path, { form: code(character), headers });

test("a key is created once, read, replaced and deleted", async () => {
  const created = await create("a/b é");
  expect(created).toMatchObject({ status: 201, headers: { location: pathOf("a/b é") } });
  const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const written = z.parse(writtenKey, { key_id: "a/b é", ...code("a") });
  expect(created.json()).toEqual({ ...written, created_at: now, updated_at: now });

  const path = String(created.headers.location);
  const again = await create("a/b é");
  expect(again).toMatchObject({ status: 200, text: created.text, headers: { etag: created.headers.etag } });
  expect(again.headers).not.toHaveProperty("location");
  expect((await create("a/b é", code("b"))).status).toBe(422);
  expect(await service.call("GET", path)).toMatchObject({ status: 200, text: created.text });

  const replaced = await put(path, "b");
  expect(replaced).toMatchObject({ status: 200 });
  expect(replaced.json()).toEqual({ ...Object(created.json()), ...code("b"), updated_at: now });
  expect(await service.call("DELETE", path)).toMatchObject({ status: 204, text: "" });
  for (const method of ["GET", "DELETE"]) expect((await service.call(method, path)).status).toBe(404);
});

test("a form reaches the function unchanged: malformed UTF-8 and more than 16 KiB are rejected", async () => {
  const post = async (form: string) => (await service.call("POST", "/api/v1/key", { form })).status;
  expect(await post("key_id=%c0%80")).toBe(400);
  expect(await post(`pad=${"x".repeat(16 * 1024 - 4)}`)).toBe(422);
  expect(await post(`pad=${"x".repeat(16 * 1024 - 3)}`)).toBe(413);
});

test("a key's ETag changes with the key, and allows conditional reads and changes", async () => {
  const path = pathOf("tagged");
  const { etag = "" } = (await create("tagged")).headers;
  const read = (options: CallOptions = {}) =>
    service.call("GET", path, { headers: { "if-none-match": etag }, ...options });
  // Caches adopt the content type. Without one, API Gateway would add that of plain text.
  const headers = { etag, "cache-control": "no-cache", "content-type": "application/json" };
  expect(await read()).toMatchObject({ status: 304, text: "", headers });
  expect((await read({ token: null })).status).toBe(401);

  const change = (character: string) => put(path, character, { "if-match": etag });
  const first = await change("b");
  expect(await change("b")).toMatchObject({ status: 200, text: first.text, headers: { etag: first.headers.etag } });
  expect((await change("c")).status).toBe(412);
  expect((await read()).status).toBe(200);
  const remove = (tag = "") => service.call("DELETE", path, { headers: { "if-match": tag } });
  expect([(await remove(etag)).status, (await remove(first.headers.etag)).status]).toEqual([412, 204]);
  expect(new Set([etag, first.headers.etag, (await create("tagged")).headers.etag]).size).toBe(3);
});

/*
 * The local gateway treats paths as API Gateway does in recordings: every path leads only to the key that its client means.
 */
describe("a call that repeats its path", () => {
  test.each([
    ["GET", "victim%3Fx"],
    ["PUT", "victim%3Fx"],
    ["DELETE", "victim%252Fx"],
  ])("is rejected before %s /key/%s reaches another key", async (method, encoded) => {
    const stored = { key_id: "victim", ...code("v") };
    await service.call("POST", "/api/v1/key", { form: stored });
    const path = `/api/v1/key/${encoded}`;
    const headers = { "x-sent-path": path };
    const response = await service.call(method, path, { headers, ...(method === "PUT" && { form: code("w") }) });
    expect(response.json()).toMatchObject({ code: "path_changed" });
    expect((await service.call("GET", pathOf("victim"))).json()).toMatchObject(stored);
  });
});
