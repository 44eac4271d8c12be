import { type QueryClient, queryOptions, replaceEqualDeep, usePrefetchQuery, useQuery } from "@tanstack/react-query";
import type { ReadingApi } from "../api/admin-api.ts";
import type { Token } from "../api/types.ts";
import { useApp, usePolling } from "../parts/app-context.tsx";

export interface TokenList {
  /** In the order in which they arrived. */
  byId: ReadonlyMap<string, Token>;
  /** Whether tokens are missing: some are still to come, or there are more than the table holds. */
  missing: "none" | "rest" | "beyond limit";
  /** When the loading of these tokens began: Unix milliseconds. */
  loadedAt: number;
  /** How many tokens have arrived since the last refresh began. */
  arrivedCount: number;
  /** Tokens that were changed since then. They are newer than what arrives. */
  changed: ReadonlyMap<string, Token>;
}

export const listKey = ["tokens"];

/** The first page is small, so that a slow connection soon shows something. */
const firstPageSize = 100;
const pageSize = 1000;
/** Beyond this many further pages a table in a browser is no longer the right tool. */
const maxPages = 20;

/** A minute per thousand tokens, but at most five minutes: a request for confirmation lasts 15 minutes. */
const refreshMs = ({ byId }: TokenList): number => Math.min(5, Math.ceil((byId.size + 1) / pageSize)) * 60_000;

const useListOptions = () => {
  const { api } = useApp();
  return queryOptions({
    queryKey: listKey,
    queryFn: ({ client, signal }) => loadTokens(api, client, signal),
  });
};

/**
 * All tokens. The first ones are shown while the others are loaded; a refresh shows the earlier ones until it is complete. As
 * long as somebody can see them, they are refreshed from time to time: any client may have asked to move.
 */
export const useTokenList = (isShown: boolean) => {
  const options = useListOptions();
  // Sends the first request before the page is drawn, which takes a while on a slow machine.
  usePrefetchQuery(options);
  return useQuery({ ...options, refetchInterval: usePolling((list: TokenList) => isShown && refreshMs(list)) });
};

/** The same tokens for pages that only need their names, which load them if no other page has. */
export const useTokensOnce = () =>
  useQuery({ ...useListOptions(), staleTime: Number.POSITIVE_INFINITY, retryOnMount: false });

const loadTokens = async (api: ReadingApi, client: QueryClient, signal: AbortSignal): Promise<TokenList> => {
  const show = (list: TokenList) => client.setQueryData<TokenList>(listKey, list);
  const shown = () => client.getQueryData<TokenList>(listKey);
  const loadedAt = Date.now();
  const arrived = new Map<string, Token>();
  const listOf = (missing: TokenList["missing"]): TokenList => {
    const changed = shown()?.changed ?? new Map<string, Token>();
    return { byId: new Map([...arrived, ...changed]), missing, loadedAt, arrivedCount: arrived.size, changed };
  };

  const earlier = shown();
  if (earlier) show({ ...earlier, arrivedCount: 0, changed: new Map() });
  let cursor: string | undefined;
  for (let page = 0; page <= maxPages; page += 1) {
    const limit = page === 0 ? firstPageSize : pageSize;
    const { tokens, next_cursor } = await api("list", { limit, cursor }, { signal });
    for (const token of tokens) arrived.set(token.token_id, token);
    if (next_cursor === null) return listOf("none");
    cursor = next_cursor;
    const list = shown();
    show(earlier && list ? { ...list, arrivedCount: arrived.size } : listOf("rest"));
  }
  return listOf("beyond limit");
};

/** Shows a token in the list as it is now. */
export const showInList = (client: QueryClient, token: Token): void => {
  client.setQueryData<TokenList>(listKey, (list) => {
    const shown = list?.byId.get(token.token_id);
    // If the token is unchanged, nothing is rendered again, and the next refresh is not put off.
    if (!list || replaceEqualDeep(shown, token) === shown) return undefined;
    return {
      ...list,
      byId: new Map(list.byId).set(token.token_id, token),
      changed: new Map(list.changed).set(token.token_id, token),
    };
  });
};
