import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import * as z from "zod/mini";
import { keyId, replaceable } from "../../../lambdas/domain/keys/key-fields.ts";
import type { AdminApi } from "../api/admin-api.ts";
import { ApiFailure } from "../api/api-failure.ts";
import type { ActionResponse, ListedKey } from "../api/types.ts";
import { useApp } from "../parts/app-context.tsx";
import { keyKey, keyPagesKey, keySearchesKey } from "./caches.ts";

type KeyPage = ActionResponse<"list_keys">;

const searchKey = (prefix: string) => [...keySearchesKey, prefix];

const pageSize = 50;

/** Loads the page of keys after a cursor, or the first page without a cursor. */
export const useKeys = (after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: [...keyPagesKey, after ?? null],
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

/** Returns a check that fails once if somebody else has changed the key since it was shown. */
export const useUnchangedKey = ({ key_id, updated_at }: ListedKey) => {
  const seen = useRef(updated_at);
  return async (api: AdminApi): Promise<void> => {
    const current = await api("get_key", { key_id });
    const isChanged = current.updated_at !== seen.current;
    seen.current = current.updated_at;
    if (isChanged) throw new ApiFailure({ status: 409, message: changed });
  };
};

const changed = `The ${replaceable} was replaced after this page showed the key. Press again to replace it anyway.`;

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
