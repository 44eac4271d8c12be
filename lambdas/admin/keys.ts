import * as z from "zod/mini";
import { action } from "../declaration/action.ts";
import type { StoredHistory } from "../dynamodb/history.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { parseEntry } from "../resources/history/change-entry.ts";
import { exampleKey, isStoredKeyId, keyId, keyIdLength, taken, vCode } from "../resources/keys/fields.ts";
import type { Key } from "../resources/keys/key-store.ts";
import { text } from "../validation/fields.ts";
import { encodeCursor } from "../validation/paging.ts";
import { adminContract, type listedKey } from "./contract.ts";
import { pageCursor, pageLimit } from "./fields.ts";

/** The input of an action on one key. */
const oneKey = z.strictObject({ key_id: keyId });
const exampleId = { key_id: exampleKey.key_id };

export const createKey = action({
  contract: adminContract.create_key,
  summary: "Stores a key. Repeating the call with the same pair stores it once.",
  uses: { keys: ["create", "getWithHistory"] },
  input: z.strictObject({ key_id: keyId, v_code: vCode }),
  example: exampleKey,
  async run(pair, { author, stores: { keys } }) {
    const created = await keys.create(pair, author);
    if (created.outcome === "taken") throw new ValidationError(taken);
    return describeKey(created.key, await keys.getWithHistory(pair.key_id));
  },
});

const prefix = text(keyIdLength).check(z.meta({ description: "How the key_ids begin; case matters." }));

export const listKeys = action({
  contract: adminContract.list_keys,
  summary:
    "Returns a page of keys without their v_codes, in the table's own order, which is stable but not alphabetical. With prefix, only keys whose key_id begins with it: such a call reads up to 4 MB of the table, so a page may have few keys or none. While there are more, next_cursor is where the next page begins. examined is the number of items that were read.",
  uses: { keys: ["listWithHistory"] },
  input: z.strictObject({ limit: pageLimit, cursor: pageCursor(isStoredKeyId), prefix: z.optional(prefix) }),
  example: {},
  async run({ limit, cursor, prefix }, { stores }) {
    const { keys, next, examined } = await stores.keys.listWithHistory({ limit, after: cursor, prefix });
    return {
      keys: keys.map((key) => describeKey(key, key)),
      next_cursor: next === undefined ? null : encodeCursor(next),
      examined,
    };
  },
});

export const getKey = action({
  contract: adminContract.get_key,
  summary: "Returns a key without its v_code.",
  uses: { keys: ["getWithHistory"] },
  input: oneKey,
  example: exampleId,
  async run({ key_id }, { stores }) {
    const found = await stores.keys.getWithHistory(key_id);
    if (!found?.key) throw new ApiError("key_not_found");
    return describeKey(found.key, found);
  },
});

export const revealKey = action({
  contract: adminContract.reveal_key,
  summary: "Returns a key with its v_code. The log records who asked.",
  uses: { keys: ["get"] },
  input: oneKey,
  example: exampleId,
  async run({ key_id }, { stores }) {
    const key = await stores.keys.get(key_id);
    if (!key) throw new ApiError("key_not_found");
    return key;
  },
});

export const replaceKey = action({
  contract: adminContract.replace_key,
  summary: "Replaces the v_code of a key.",
  uses: { keys: ["replace", "getWithHistory"] },
  input: z.strictObject({ key_id: keyId, v_code: vCode }),
  example: exampleKey,
  async run(pair, { author, stores: { keys } }) {
    const replaced = await keys.replace(pair, author);
    if (replaced.outcome !== "replaced") throw new ApiError("key_not_found");
    return describeKey(replaced.key, await keys.getWithHistory(pair.key_id));
  },
});

export const deleteKey = action({
  contract: adminContract.delete_key,
  summary: "Deletes a key.",
  uses: { keys: ["delete"] },
  input: oneKey,
  example: exampleId,
  async run({ key_id }, { author, stores }) {
    const outcome = await stores.keys.delete(key_id, author);
    if (outcome !== "deleted") throw new ApiError("key_not_found");
    return undefined;
  },
});

/** A key as admins see it, with its creator and its last editor if the history still names them. */
const describeKey = (
  { key_id, created_at, updated_at }: Omit<Key, "v_code">,
  found: { history: StoredHistory } | undefined,
): z.output<typeof listedKey> => {
  const changes = (found?.history.entries ?? []).map(parseEntry);
  const authorAt = (time: string) => changes.find((change) => change.time === time)?.author.by ?? null;
  return {
    key_id,
    created_at,
    created_by: authorAt(created_at),
    updated_at,
    updated_by: authorAt(updated_at),
  };
};
