import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminApi } from "../../../api/admin-api.ts";
import type { Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";

interface TokenList {
  byId: ReadonlyMap<string, Token>;
  /** False if there are more tokens than the table holds. */
  isComplete: boolean;
}

const listKey = ["tokens"];
const tokenKey = (tokenId: string) => ["token", tokenId];
export const usageKey = (tokenId: string) => ["usage", tokenId];

/** All tokens, and how many have been loaded so far. */
export const useTokenList = () => {
  const { api } = useApp();
  const [loadedCount, setLoadedCount] = useState(0);
  const list = useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => loadTokens(api, { onProgress: setLoadedCount, signal }),
  });
  return { ...list, loadedCount };
};

/** Beyond this many pages a table in a browser is no longer the right tool. */
const maxPages = 20;
const pageSize = 1000;

interface LoadOptions {
  onProgress: (count: number) => void;
  signal: AbortSignal;
}

const loadTokens = async (api: AdminApi, { onProgress, signal }: LoadOptions): Promise<TokenList> => {
  const byId = new Map<string, Token>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    onProgress(byId.size);
    const { tokens, next_cursor } = await api("list", { limit: pageSize, cursor }, { signal });
    for (const token of tokens) byId.set(token.token_id, token);
    if (next_cursor === null) return { byId, isComplete: true };
    cursor = next_cursor;
  }
  return { byId, isComplete: false };
};

/** One token; from the list until it is loaded, or if that fails. */
export const useToken = (tokenId: string) => {
  const { api } = useApp();
  const { show } = useTokenCache();
  const { data: list } = useQuery<TokenList>({ queryKey: listKey, enabled: false });
  const { data, ...query } = useQuery({
    queryKey: tokenKey(tokenId),
    queryFn: async () => {
      const token = await api("get", { token_id: tokenId });
      show(token);
      return token;
    },
  });
  return { ...query, token: data ?? list?.byId.get(tokenId) };
};

/** Keeps what the pages show in step with what is done to the tokens. */
export const useTokenCache = () => {
  const { api } = useApp();
  const client = useQueryClient();

  /** Shows a token as it is now. */
  const show = (token: Token): void => {
    client.setQueryData<TokenList>(
      listKey,
      (list) => list && { ...list, byId: new Map(list.byId).set(token.token_id, token) },
    );
  };

  /** Shows a token that is new or was changed. */
  const update = async (token: Token): Promise<void> => {
    client.setQueryData(tokenKey(token.token_id), token);
    show(token);
    client.invalidateQueries({ queryKey: usageKey(token.token_id) });
    if (client.isFetching({ queryKey: listKey }) === 0) return;
    // The list that is being loaded may have been read before the change.
    await client.cancelQueries({ queryKey: listKey });
    await client.invalidateQueries({ queryKey: listKey });
  };

  /** Loads everything again: the pages may show something that is no longer true. */
  const reload = () => client.invalidateQueries();

  /** Loads a token that was changed by what was done to another one. */
  const reloadToken = (tokenId: string) => api("get", { token_id: tokenId }).then(update, reload);

  return { show, update, reload, reloadToken };
};
