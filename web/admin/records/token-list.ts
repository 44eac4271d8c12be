import { type QueryClient, queryOptions, usePrefetchQuery, useQuery } from "@tanstack/react-query";
import type { ReadingApi } from "../api/admin-api.ts";
import type { Token } from "../api/types.ts";
import { useApp, usePolling } from "../parts/app-context.tsx";
import { listKey, type TokenList } from "./caches.ts";

/** The first page is small, so that users on slow connections soon see something. */
const firstPageSize = 100;
const pageSize = 1000;
/** Beyond this number of further pages, a browser table is no longer the right tool. */
const maxPages = 20;

/** Returns the refresh interval: a minute per thousand tokens, at most five, because a confirmation request lasts 15 minutes. */
const refreshMs = ({ byId }: TokenList): number => Math.min(5, Math.ceil((byId.size + 1) / pageSize)) * 60_000;

const useListOptions = () => {
  const { api } = useApp();
  return queryOptions({
    queryKey: listKey,
    queryFn: ({ client, signal }) => loadTokens(api, client, signal),
  });
};

/**
 * Loads all tokens. The first tokens are shown while the rest arrive. During a refresh, the earlier tokens stay until it is
 * complete. While the list is visible, it is refreshed from time to time, because any client may have asked to move.
 */
export const useTokenList = (isShown: boolean) => {
  const options = useListOptions();
  // Sends the first request before the page is rendered, which takes a while on a slow machine.
  usePrefetchQuery(options);
  return useQuery({ ...options, refetchInterval: usePolling((list: TokenList) => isShown && refreshMs(list)) });
};

/** Loads the same tokens for pages that only need their names, unless another page has already loaded them. */
export const useTokensOnce = () =>
  useQuery({ ...useListOptions(), staleTime: Number.POSITIVE_INFINITY, retryOnMount: false });

/** Returns the tokens that another page has loaded, without loading any. */
export const useLoadedTokens = () => useQuery<TokenList>({ queryKey: listKey, enabled: false });

const loadTokens = async (api: ReadingApi, client: QueryClient, signal: AbortSignal): Promise<TokenList> => {
  const show = (list: TokenList) => client.setQueryData<TokenList>(listKey, list);
  const shown = () => client.getQueryData<TokenList>(listKey);
  const loadedAt = Date.now();
  const arrived = new Map<string, Token>();
  const listOf = (missing: TokenList["missing"]): TokenList => {
    const changed = shown()?.changed ?? new Map<string, Token>();
    return { byId: new Map([...arrived, ...changed]), missing, loadedAt, changed };
  };

  const earlier = shown();
  if (earlier) show({ ...earlier, changed: new Map() });
  let cursor: string | undefined;
  for (let page = 0; page <= maxPages; page += 1) {
    const limit = page === 0 ? firstPageSize : pageSize;
    const { tokens, next_cursor } = await api("list", { limit, cursor }, { signal });
    for (const token of tokens) arrived.set(token.token_id, token);
    if (next_cursor === null) return listOf("none");
    cursor = next_cursor;
    if (!earlier) show(listOf("rest"));
  }
  return listOf("beyond limit");
};
