import { randomUUID } from "node:crypto";
import type { Change, Table } from "../../dynamodb/table.ts";
import { deletableAfter, toTime } from "../../dynamodb/times.ts";
import type { Key, KeyStore } from "./key-store.ts";
import { updatedAtOf, versionOf } from "./key-version.ts";

/**
 * How long the tombstone of a deleted key stays, so that a late attempt cannot restore the key. DynamoDB accepts no request
 * whose signature is older than a quarter of an hour.
 */
const keptSeconds = 60 * 60;

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

  async replace({ key_id, v_code }, versions) {
    const { outcome, record: key } = await table.change({ key_id }, { ...existing(versions), set: () => ({ v_code }) });
    if (!key) return { outcome: "not found" };
    // An equal request may have been made before and its response lost: RFC 9110, section 13.1.1.
    const isReplaced = outcome !== "refused" || key.v_code === v_code;
    return isReplaced ? { outcome: "replaced", key } : { outcome: "changed" };
  },

  async delete(key_id, versions) {
    const { outcome, record: key } = await table.change(
      { key_id },
      {
        ...existing(versions),
        set: (time) => ({ deletion_id: randomUUID(), delete_at: deletableAfter(time, keptSeconds) }),
        remove: ["v_code", "created_at"],
      },
    );
    if (outcome !== "refused") return "deleted";
    return key ? "changed" : "not found";
  },
});

/** The part of a change that says which keys it applies to: those that exist and have one of the expected versions. */
const existing = (versions: readonly string[] | undefined): Pick<Change<Key>, "condition" | "appliesTo" | "seen"> => {
  const condition = "attribute_exists(v_code) AND attribute_not_exists(deletion_id)";
  if (!versions) return { condition, appliesTo: (key) => key !== undefined };
  const [seen = never] = versions.map(updatedAtOf).filter((time) => time !== undefined);
  return { condition, appliesTo: (key) => key !== undefined && versions.includes(versionOf(key)), seen };
};

/** No key was changed then. */
const never = toTime(0);
