import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import * as z from "zod/mini";
import type { ActionResponse } from "../../../../lambdas/admin/contract.ts";
import { keyId } from "../../../../lambdas/domain/keys/key-fields.ts";
import type { AdminApi } from "../../api/admin-api.ts";
import { ApiFailure } from "../../api/api-failure.ts";
import type { ListedKey } from "../../api/types.ts";
import { recordChangesKey } from "../../changes/record-changes.ts";
import { useApp, useSending } from "../../parts/app-context.tsx";

export type KeyPage = ActionResponse<"list_keys">;

const pagesKey = ["keys", "page"];
const searchesKey = ["keys", "search"];
export const keyKey = (keyId: string) => ["key", keyId];
export const searchKey = (prefix: string) => [...searchesKey, prefix];

const pageSize = 50;

/** Loads the page of keys after a cursor, or the first page without a cursor. */
export const useKeys = (after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: [...pagesKey, after ?? null],
    queryFn: ({ signal }) => api("list_keys", { limit: pageSize, cursor: after }, { signal }),
  });
};

/** Loads a key without its v_code. */
export const useKey = (keyId: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: keyKey(keyId),
    queryFn: ({ signal }) => api("get_key", { key_id: keyId }, { signal }),
  });
};

/** Returns functions that update the cached pages after a change, without searching all keys again. */
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
    /** Shows a new or changed key. */
    show(key: ListedKey): void {
      client.setQueryData(keyKey(key.key_id), key);
      client.invalidateQueries({ queryKey: recordChangesKey({ key_id: key.key_id }) });
      changePages((keys) => keys.map((shown) => (shown.key_id === key.key_id ? key : shown)));
    },
    /** Stops showing a deleted key. */
    remove(keyId: string): void {
      client.removeQueries({ queryKey: keyKey(keyId) });
      client.removeQueries({ queryKey: recordChangesKey({ key_id: keyId }) });
      changePages((keys) => keys.filter(({ key_id }) => key_id !== keyId));
    },
  };
};

/**
 * Changes a key, unless somebody else has changed it since it was shown. In that case, the next attempt applies to the key's
 * current version.
 */
export const useKeyChange = <Result, Input = void>(
  { key_id, updated_at }: ListedKey,
  change: (api: AdminApi, input: Input) => Promise<Result>,
  onDone: (result: Result) => void,
) => {
  const client = useQueryClient();
  const seen = useRef(updated_at);
  return useSending(
    async (api, input: Input) => {
      const current = await api("get_key", { key_id });
      const isChanged = current.updated_at !== seen.current;
      seen.current = current.updated_at;
      if (isChanged) throw new ApiFailure({ status: 409, message: changed });
      return change(api, input);
    },
    {
      onDone,
      onFailure: ({ isPageOutdated }) => {
        if (isPageOutdated) client.invalidateQueries();
      },
    },
  );
};

const changed =
  "The v_code was replaced after this page showed the key. To go on all the same, press the button again.";

/** How many matches a search finds before it asks whether to continue. */
export const matchesAtOnce = 1_000;

interface SearchOptions {
  /** The user has stopped the search. */
  isStopped: boolean;
  /** How many matches the user wants to see. */
  wanted: number;
}

/**
 * Searches for keys by key_id prefix. First it looks up the key with exactly this key_id, then it scans the whole table page by
 * page. Results are kept while the user looks at a key and comes back.
 */
export const useKeySearch = (prefix: string, { isStopped, wanted }: SearchOptions) => {
  const { api } = useApp();
  const client = useQueryClient();
  const canBeKey = z.safeParse(keyId, prefix).success;
  const exact = useQuery({
    queryKey: keyKey(prefix),
    queryFn: ({ signal }) => api("get_key", { key_id: prefix }, { signal }),
    enabled: canBeKey,
    staleTime: Number.POSITIVE_INFINITY,
    // The 404 for a missing key is a final result.
    retryOnMount: false,
  });
  const isLookedUp = !canBeKey || !exact.isPending;
  const search = useInfiniteQuery({
    queryKey: searchKey(prefix),
    queryFn: ({ pageParam, signal }) => api("list_keys", { prefix, limit: 1000, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }: KeyPage) => next_cursor,
    enabled: isLookedUp && !isStopped,
    staleTime: Number.POSITIVE_INFINITY,
  });

  const found = useMemo(() => sorted(exact.data, search.data?.pages ?? []), [exact.data, search.data]);
  const { hasNextPage, isFetching, error, fetchNextPage } = search;
  const isPaused = isStopped || found.length >= wanted;
  useEffect(() => {
    if (hasNextPage && !isPaused && !isFetching && !error) fetchNextPage();
  }, [hasNextPage, isPaused, isFetching, error, fetchNextPage]);

  return {
    found,
    examined: (search.data?.pages ?? []).reduce((sum, page) => sum + page.examined, 0),
    isComplete: search.data !== undefined && !hasNextPage,
    isPaused,
    failure: error,
    /** Cancels the request for the next page. */
    cancel: () => client.cancelQueries({ queryKey: searchKey(prefix) }),
    retry: () => (search.data ? fetchNextPage() : search.refetch()),
  };
};

const collator = new Intl.Collator("en", { numeric: true });

/** Merges the keys without duplicates, in alphabetical order. */
const sorted = (exact: ListedKey | undefined, pages: KeyPage[]): ListedKey[] => {
  const byId = new Map(
    [...(exact ? [exact] : []), ...pages.flatMap(({ keys }) => keys)].map((key) => [key.key_id, key]),
  );
  return [...byId.values()].toSorted(
    (one, other) => collator.compare(one.key_id, other.key_id) || (one.key_id < other.key_id ? -1 : 1),
  );
};
