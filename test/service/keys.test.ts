import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { writtenKey } from "../../lambdas/domain/keys/key-fields.ts";
import { sharedService, type TestService } from "../support/service.ts";

/*
 * Tests one path through the key endpoints. The tests of the code cover the rules for a form, a condition or a page, and
 * test/contract/documented-responses.test.ts covers every refusal.
 */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const code = (character: string) => ({ v_code: character.repeat(64) });
const pathOf = (keyId: string): string => `/api/v1/key/${encodeURIComponent(keyId)}`;
const create = (key_id: string, v_code = code("a")) =>
  service.call("POST", "/api/v1/key", { form: { key_id, ...v_code } });

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

  const replaced = await service.call("PUT", path, { form: code("b") });
  expect(replaced).toMatchObject({ status: 200 });
  expect(replaced.json()).toEqual({ ...Object(created.json()), ...code("b"), updated_at: now });
  expect(await service.call("DELETE", path)).toMatchObject({ status: 204, text: "" });
  for (const method of ["GET", "DELETE"]) expect((await service.call(method, path)).status).toBe(404);
});
