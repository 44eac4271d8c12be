import { randomUUID } from "node:crypto";
import type { Table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import type { Key, KeyStore } from "./key-store.ts";

/**
 * How long the tombstone of a deleted key stays, so that a late attempt cannot restore the key. DynamoDB accepts no request
 * whose signature is older than a quarter of an hour.
 */
const keptSeconds = 60 * 60;

const exists = "attribute_exists(v_code) AND attribute_not_exists(deletion_id)";
const isDeleted = "attribute_exists(deletion_id) AND attribute_not_exists(v_code)";

/** Keys in a DynamoDB table. Each operation is one round trip, and a change shortly after another change two. */
export const dynamodbKeyStore = (table: Table<Key>): KeyStore => ({
  async list(request) {
    const { records, ...page } = await table.page(request);
    return { ...page, keys: records };
  },

  async create({ key_id, v_code }) {
    const { outcome, record: key } = await table.change(
      { key_id },
      {
        condition: `attribute_not_exists(key_id) OR (${isDeleted})`,
        appliesTo: (existing) => existing === undefined,
        set: (created_at) => ({ v_code, created_at }),
        remove: ["deletion_id", "delete_at"],
      },
    );
    if (key?.v_code !== v_code) return { outcome: "taken" };
    return { outcome: outcome === "changed" ? "created" : "unchanged", key };
  },

  get: (key_id) => table.get({ key_id }),

  async replace({ key_id, v_code }) {
    const { outcome, record } = await table.change(
      { key_id },
      {
        condition: exists,
        appliesTo: (existing) => existing !== undefined,
        set: () => ({ v_code }),
      },
    );
    return outcome === "refused" ? undefined : record;
  },

  async delete(key_id) {
    const { outcome } = await table.change(
      { key_id },
      {
        condition: exists,
        appliesTo: (existing) => existing !== undefined,
        set: (time) => ({ deletion_id: randomUUID(), delete_at: deletableAfter(time, keptSeconds) }),
        remove: ["v_code", "created_at"],
      },
    );
    return outcome !== "refused";
  },
});
