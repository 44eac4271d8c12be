import { type InfiniteData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ActionResponse } from "../../../lambdas/admin/contract.ts";
import type { ListedKey } from "../../api/types.ts";
import { recordChangesKey } from "../../changes/record-changes.ts";
import { useApp } from "../../parts/app-context.tsx";

export type KeyPage = ActionResponse<"list_keys">;

const pagesKey = ["keys", "page"];
const searchesKey = ["keys", "search"];
export const keyKey = (keyId: string) => ["key", keyId];
export const searchKey = (prefix: string) => [...searchesKey, prefix];

const pageSize = 50;

/** The page of keys that starts after a cursor; the first page without one. */
export const useKeys = (after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: [...pagesKey, after ?? null],
    queryFn: () => api("list_keys", { limit: pageSize, cursor: after }),
  });
};

/** A key without its v_code. */
export const useKey = (keyId: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: keyKey(keyId),
    queryFn: () => api("get_key", { key_id: keyId }),
  });
};

/** Keeps what the pages show in step with what is done to the keys, without searching all of them again. */
export const useKeyCache = () => {
  const client = useQueryClient();

  const changePages = (change: (keys: ListedKey[]) => ListedKey[]): void => {
    const changePage = (page: KeyPage): KeyPage => ({ ...page, keys: change(page.keys) });
    client.setQueriesData<KeyPage>({ queryKey: pagesKey }, (page) => page && changePage(page));
    client.setQueriesData<InfiniteData<KeyPage>>(
      { queryKey: searchesKey },
      (search) => search && { ...search, pages: search.pages.map(changePage) },
    );
  };

  return {
    /** Shows a key that is new or was changed. */
    show(key: ListedKey): void {
      client.setQueryData(keyKey(key.key_id), key);
      client.invalidateQueries({ queryKey: recordChangesKey({ key_id: key.key_id }) });
      changePages((keys) => keys.map((shown) => (shown.key_id === key.key_id ? key : shown)));
    },
    /** Shows a deleted key no longer. */
    remove(keyId: string): void {
      client.removeQueries({ queryKey: keyKey(keyId) });
      client.removeQueries({ queryKey: recordChangesKey({ key_id: keyId }) });
      changePages((keys) => keys.filter(({ key_id }) => key_id !== keyId));
    },
  };
};
