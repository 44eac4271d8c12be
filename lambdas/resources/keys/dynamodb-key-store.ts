import type { Table } from "../../dynamodb/table.ts";
import type { Key, KeyStore } from "./key-store.ts";

/**
 * Keys in a DynamoDB table.
 *
 * `create` is an update that leaves existing attributes as they are and returns the item as it was before. One round trip
 * thus either creates the key or tells what exists, and a create that the SDK repeats after a lost answer finds its own
 * pair, not a conflict.
 */
export const dynamodbKeyStore = (table: Table<Key>): KeyStore => ({
  async list(request) {
    const { records, ...page } = await table.page(request);
    return { ...page, keys: records };
  },

  async create({ key_id, v_code }) {
    const now = new Date().toISOString();
    const { attributes } = await table.update(
      { key_id },
      {
        expression:
          "SET v_code = if_not_exists(v_code, :v_code), created_at = if_not_exists(created_at, :now), updated_at = if_not_exists(updated_at, :now)",
        values: { v_code, now },
        returns: "ALL_OLD",
      },
    );
    if (!attributes) return { outcome: "created", key: { key_id, v_code, created_at: now, updated_at: now } };
    const key = table.read(attributes, { key_id });
    return key.v_code === v_code ? { outcome: "unchanged", key } : { outcome: "taken" };
  },

  get: (key_id) => table.get({ key_id }),

  async replace({ key_id, v_code }) {
    const { attributes } = await table.update(
      { key_id },
      {
        condition: "attribute_exists(key_id)",
        expression: "SET v_code = :v_code, updated_at = :now",
        values: { v_code, now: new Date().toISOString() },
        returns: "ALL_NEW",
      },
    );
    return attributes && table.read(attributes, { key_id });
  },

  async delete(key_id) {
    const { deleted, attempts } = await table.delete({ key_id });
    // A repeated attempt that finds nothing follows one that deleted the key and whose answer was lost.
    return deleted !== undefined || attempts > 1;
  },
});
