import type * as z from "zod/mini";
import { parseEntry } from "../../domain/history/change-entry.ts";
import type { Key } from "../../domain/keys/keys-table.ts";
import type { StoredHistory } from "../../dynamodb/change-history.ts";
import type { listedKey } from "../contract.ts";

/** Describes a key as admins see it. Includes its creator and last editor if the history still has them. */
export const describeKey = (key: Key, found: { history: StoredHistory } | undefined): z.output<typeof listedKey> => {
  const changes = (found?.history.entries ?? []).map(parseEntry);
  const authorAt = (time: string) => changes.find((change) => change.time === time)?.author.by ?? null;
  return { ...key, created_by: authorAt(key.created_at), updated_by: authorAt(key.updated_at) };
};
