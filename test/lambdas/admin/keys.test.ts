import { expect, test } from "vitest";
import * as z from "zod/mini";
import { revealKey } from "../../../lambdas/admin/keys/reveal-key-action.ts";
import { shownContents } from "../../../lambdas/domain/keys/key-fields.ts";
import { keys } from "../../../lambdas/domain/keys/keys-table.ts";
import { ApiError } from "../../../lambdas/shared/errors/api-error.ts";
import { useAdmin } from "../support/admin.ts";
import { apiErrorOf } from "../support/outcomes.ts";

const admin = useAdmin();
const perform = async (action: string, fields: object = {}) => Object(await admin.invoke({ action, ...fields }));
const codeOf = async (action: string, fields: object) => (await apiErrorOf(perform(action, fields))).code;

/** The other fields of a key that was created without them. */
const shown = z.parse(shownContents, {});
const [vCode, otherVCode] = ["v".repeat(64), "w".repeat(64)];

test("admins create, list, read, replace and delete keys, and see a v_code only on request", async () => {
  const key = { key_id: "a key/with ü" };
  const time = expect.any(String);
  const created = await perform("create_key", { ...key, v_code: vCode });
  const by = { created_by: "invoke:admin-1", updated_by: "invoke:admin-1" };
  expect(created).toEqual({ ...shown, ...key, created_at: time, updated_at: time, ...by });
  expect(await perform("create_key", { ...key, v_code: vCode })).toEqual(created);
  expect(await apiErrorOf(perform("create_key", { ...key, v_code: otherVCode }))).toHaveProperty("fields", {
    key_id: ["The key_id has already been taken."],
  });

  expect(await perform("list_keys")).toEqual({ keys: [created], next_cursor: null, examined: 1 });
  expect(await perform("list_keys", { prefix: "b" })).toMatchObject({ keys: [] });
  expect(await perform("get_key", key)).toEqual(created);
  const { created_at, updated_at } = created;
  expect(await perform("reveal_key", key)).toEqual({ ...shown, ...key, created_at, updated_at, v_code: vCode });

  const replaced = await perform("replace_key", { ...key, v_code: otherVCode });
  expect(replaced).toEqual({ ...created, updated_at: time });
  expect(await perform("reveal_key", key)).toMatchObject({ v_code: otherVCode });
  expect(await apiErrorOf(perform("replace_key", { ...key, v_code: "short" }))).toHaveProperty("fields", {
    v_code: ["The v_code must be 64 characters."],
  });

  expect(await admin.invoke({ action: "delete_key", ...key })).toBeUndefined();
  for (const action of ["get_key", "reveal_key", "delete_key"]) expect(await codeOf(action, key)).toBe("key_not_found");
  expect(await codeOf("replace_key", { ...key, v_code: vCode })).toBe("key_not_found");
});

test("records each view of a v_code in its key's history, without changing the key or its other entries", async () => {
  const key = { key_id: "shown" };
  await perform("create_key", { ...key, v_code: vCode });
  const replaced = await perform("replace_key", { ...key, v_code: otherVCode });
  for (let count = 0; count < 30; count += 1) await perform("reveal_key", { ...key, invoked_by: `person ${count}` });

  const { changes, dropped } = await perform("history", { ...key, limit: 1000 });
  const kinds = changes.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual([...Array.from({ length: 30 }, () => "revealed"), "replaced", "created"]);
  expect(changes[0]).toMatchObject({ ...key, by: "invoke:admin-1:person 29", details: {} });
  expect((await perform("history", { limit: 1000 })).changes.slice(0, 32)).toEqual(changes);
  expect(dropped).toBe(0);
  expect(await perform("get_key", key)).toEqual(replaced);
});

test("does not reveal a v_code if the view cannot be recorded", async () => {
  const unavailable = new ApiError("unavailable");
  const stores = {
    keys: { get: async (key_id: string) => ({ ...keys.example, key_id }) },
    history: { recordReveal: () => Promise.reject(unavailable) },
  };
  const author = { by: "admin@example.com", requestId: "request" };
  await expect(revealKey.run({ key_id: "1" }, { author, stores })).rejects.toBe(unavailable);
});
