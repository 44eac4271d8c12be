import { type QueryClient, replaceEqualDeep } from "@tanstack/react-query";
import type { ActionResponse, ListedKey, Token, Trust } from "../api/types.ts";

/** Identifies a token, a trusted workload or a key. */
export type RecordName = { token_id: string } | { key_id: string };

/** The trusted workloads by id. Ended workloads are included for 90 days. */
export type Trusts = ReadonlyMap<string, Trust>;

export interface TokenList {
  /** In order of arrival. */
  byId: ReadonlyMap<string, Token>;
  /** Whether tokens are missing: some are still arriving, or there are more than the table holds. */
  missing: "none" | "rest" | "beyond limit";
  /** When loading these tokens began, in Unix milliseconds. */
  loadedAt: number;
  /** Tokens changed since the last refresh began. They are newer than tokens that are still arriving. */
  changed: ReadonlyMap<string, Token>;
}

/** The keys under which react-query caches the data. */
export const listKey = ["tokens"];
export const trustsKey = ["trusts"];
export const recordKey = (id: string) => ["record", id];
export const usageKey = (tokenId: string) => ["usage", tokenId];
export const changesKey = (record: RecordName) => ["history", "record", record];
export const keyKey = (keyId: string) => ["key", keyId];
export const keyPagesKey = ["keys", "page"];

/** The results that changes return. */
export type Changed =
  | (Token & { token?: string; invitation_text?: string })
  | Trust
  | ListedKey
  | ActionResponse<"reveal_key">
  | undefined;

/** Removes the secret from a record. Only the dialog that shows the secret keeps it. */
export const withoutSecret = ({
  token: _token,
  invitation_text: _text,
  ...record
}: Token & { token?: string; invitation_text?: string }): Token => record;

/** Updates a token in the list. */
export const showInList = (client: QueryClient, token: Token): void => {
  client.setQueryData<TokenList>(listKey, (list) => {
    const shown = list?.byId.get(token.token_id);
    // For an unchanged token, nothing is rendered again and the next refresh isn't delayed.
    if (!list || replaceEqualDeep(shown, token) === shown) return undefined;
    const changed = new Map(list.changed).set(token.token_id, token);
    return { ...list, byId: new Map(list.byId).set(token.token_id, token), changed };
  });
};

/** Shows a new or changed token on all pages. */
export const showToken = async (client: QueryClient, changed: Token): Promise<void> => {
  const token = withoutSecret(changed);
  const { token_id } = token;
  client.setQueryData(recordKey(token_id), token);
  showInList(client, token);
  client.invalidateQueries({ queryKey: usageKey(token_id) });
  client.invalidateQueries({ queryKey: changesKey({ token_id }) });
  if (client.getQueryData(listKey) !== undefined || client.isFetching({ queryKey: listKey }) === 0) return;
  // The first tokens may have been read before the change.
  await client.cancelQueries({ queryKey: listKey });
  await client.invalidateQueries({ queryKey: listKey });
};

/** Updates a trusted workload in the list, unless the list is still loading. */
export const showInTrusts = (client: QueryClient, trust: Trust): void => {
  client.setQueryData<Trusts>(trustsKey, (trusts) => trusts && new Map(trusts).set(trust.trust_id, trust));
};

/** Shows a new or changed trusted workload on all pages. Its tokens may have ended. */
export const showTrust = (client: QueryClient, trust: Trust): void => {
  client.setQueryData(recordKey(trust.trust_id), trust);
  showInTrusts(client, trust);
  client.invalidateQueries({ queryKey: changesKey({ token_id: trust.trust_id }) });
  client.invalidateQueries({ queryKey: listKey });
};

/** A page of keys, as a list shows it. */
export type KeyPage = Pick<ActionResponse<"list_keys">, "keys" | "next_cursor">;

/** Changes the keys on the cached pages, without searching all keys again. */
const changeKeyPages = (client: QueryClient, change: (keys: ListedKey[]) => ListedKey[]): void => {
  client.setQueriesData<KeyPage>({ queryKey: keyPagesKey }, (page) => page && { ...page, keys: change(page.keys) });
};

/** Shows a new or changed key on all pages. */
export const showKey = (client: QueryClient, key: ListedKey): void => {
  client.setQueryData(keyKey(key.key_id), key);
  client.invalidateQueries({ queryKey: changesKey({ key_id: key.key_id }) });
  changeKeyPages(client, (keys) => keys.map((shown) => (shown.key_id === key.key_id ? key : shown)));
};

/** Stops showing a deleted key. Its own page then shows its history. */
export const removeKey = (client: QueryClient, key_id: string): void => {
  client.resetQueries({ queryKey: keyKey(key_id) });
  client.resetQueries({ queryKey: changesKey({ key_id }) });
  changeKeyPages(client, (keys) => keys.filter((key) => key.key_id !== key_id));
};
