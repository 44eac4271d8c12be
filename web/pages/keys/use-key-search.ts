import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import * as z from "zod/mini";
import { keyId } from "../../../lambdas/resources/keys/fields.ts";
import type { ListedKey } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { type KeyPage, keyKey, searchKey } from "./key-queries.ts";

/** How many keys a search finds before it asks whether to go on. */
export const matchesAtOnce = 1_000;

interface SearchOptions {
  /** The user has stopped the search. */
  isStopped: boolean;
  /** How many matches the user wants to see. */
  wanted: number;
}

/**
 * Searches for the keys whose key_id begins with a prefix: first for the one key that has exactly this key_id, then page by page
 * through the whole table. What was found is kept while the user looks at a key and comes back.
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
    // A response that there is no such key counts as well.
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
    /** Gives up the page that is being read. */
    cancel: () => client.cancelQueries({ queryKey: searchKey(prefix) }),
    retry: () => (search.data ? fetchNextPage() : search.refetch()),
  };
};

const collator = new Intl.Collator("en", { numeric: true });

/** Each key once, in alphabetical order. */
const sorted = (exact: ListedKey | undefined, pages: KeyPage[]): ListedKey[] => {
  const byId = new Map(
    [...(exact ? [exact] : []), ...pages.flatMap(({ keys }) => keys)].map((key) => [key.key_id, key]),
  );
  return [...byId.values()].toSorted(
    (one, other) => collator.compare(one.key_id, other.key_id) || (one.key_id < other.key_id ? -1 : 1),
  );
};
