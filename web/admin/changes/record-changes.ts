import { useQuery } from "@tanstack/react-query";
import type { ReadingApi } from "../api/admin-api.ts";
import type { Change } from "../api/types.ts";
import { useApp } from "../parts/app-context.tsx";

/** Identifies a token or a key. */
export type RecordName = { token_id: string } | { key_id: string };

/** The known changes to a record. */
export interface RecordChanges {
  /** Newest first. */
  changes: Change[];
  /** How many older changes are no longer kept. */
  dropped: number;
}

const recordsKey = ["history", "record"];
export const recordChangesKey = (record: RecordName) => [...recordsKey, record];

/** Loads the changes to a token, or to all keys that have had this key_id. */
export const useRecordChanges = (record: RecordName) => {
  const { api } = useApp();
  return useQuery({
    queryKey: recordChangesKey(record),
    queryFn: ({ signal }) => loadAll(api, record, signal),
  });
};

const loadAll = async (api: ReadingApi, record: RecordName, signal: AbortSignal): Promise<RecordChanges> => {
  const all: RecordChanges = { changes: [], dropped: 0 };
  let cursor: string | undefined;
  do {
    const page = await api("history", { ...record, limit: 1000, cursor }, { signal });
    all.changes.push(...page.changes);
    all.dropped = Math.max(all.dropped, page.dropped);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
};
