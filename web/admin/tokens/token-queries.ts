import { replaceEqualDeep, useQuery, useQueryClient } from "@tanstack/react-query";
import { isTrustId } from "../../../lambdas/domain/tokens/trust-id.ts";
import type { AdminApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import type { Token, Trust } from "../api/types.ts";
import { recordChangesKey } from "../changes/record-changes.ts";
import { type Sending, useApp, usePolling, useSending } from "../parts/app-context.tsx";
import { useBlocker } from "../session/blocker.ts";
import { listKey, showInList, type TokenList } from "./token-list.ts";
import { asNamed, type Named, tokenName } from "./token-name.tsx";
import { type Trusts, trustsKey, useKnownTrust } from "./trusts.ts";

export const tokenKey = (tokenId: string) => ["token", tokenId];
export const usageKey = (tokenId: string) => ["usage", tokenId];

/**
 * Loads a token. Until it is loaded, or if loading fails, returns it from the list.
 *
 * @param everyMs how often to reload it while the page is visible
 */
export const useToken = (tokenId: string, everyMs: (token: Token) => number | false) => {
  const { api } = useApp();
  const { show } = useTokenCache();
  const { data: list } = useQuery<TokenList>({ queryKey: listKey, enabled: false });
  const query = useQuery({
    queryKey: tokenKey(tokenId),
    queryFn: async ({ client, signal }) => {
      const token = await api("get", { token_id: tokenId }, { signal });
      const shown = client.getQueryData<Token>(tokenKey(tokenId));
      if (shown && replaceEqualDeep(shown, token) !== shown) {
        client.invalidateQueries({ queryKey: recordChangesKey({ token_id: tokenId }) });
      }
      show(token);
      return token;
    },
    refetchInterval: usePolling(everyMs),
  });
  if (query.data) return query;
  return { ...query, data: list?.byId.get(tokenId), dataUpdatedAt: list?.loadedAt ?? 0 };
};

/**
 * Returns the last known version of a token or trusted workload, for its name. The list's version is used if there is one.
 * `undefined` until it is known.
 */
export const useKnownToken = (tokenId: string): Named | undefined => {
  const { api } = useApp();
  const trust = useKnownTrust(tokenId);
  const { data: list, fetchStatus } = useQuery<TokenList>({ queryKey: listKey, enabled: false });
  const { data } = useQuery({
    queryKey: tokenKey(tokenId),
    queryFn: ({ signal }) => api("get", { token_id: tokenId }, { signal }),
    enabled: !isTrustId(tokenId) && list === undefined && fetchStatus === "idle",
    staleTime: Number.POSITIVE_INFINITY,
    // The 404 for a missing token is a final result.
    retryOnMount: false,
  });
  return trust ? asNamed(trust) : (list?.byId.get(tokenId) ?? data);
};

/** Returns functions that update the cached pages after changes to tokens. */
export const useTokenCache = () => {
  const { api } = useApp();
  const client = useQueryClient();

  /** Updates a token. */
  const show = (token: Token): void => showInList(client, token);

  /** Updates a new or changed trusted workload. Its tokens may have ended. */
  const updateTrust = async (trust: Trust): Promise<void> => {
    client.setQueryData<Trusts>(trustsKey, (trusts) => new Map(trusts).set(trust.trust_id, trust));
    client.invalidateQueries({ queryKey: recordChangesKey({ token_id: trust.trust_id }) });
    await client.invalidateQueries({ queryKey: listKey });
  };

  /** Updates a new or changed record. */
  const update = async (record: Token | Trust): Promise<void> => {
    if ("subject" in record) await updateTrust(record);
    else await updateToken(record);
  };

  const updateToken = async (token: Token): Promise<void> => {
    client.setQueryData(tokenKey(token.token_id), token);
    show(token);
    client.invalidateQueries({ queryKey: usageKey(token.token_id) });
    client.invalidateQueries({ queryKey: recordChangesKey({ token_id: token.token_id }) });
    if (client.getQueryData(listKey) !== undefined || client.isFetching({ queryKey: listKey }) === 0) return;
    // The first tokens may have been read before the change.
    await client.cancelQueries({ queryKey: listKey });
    await client.invalidateQueries({ queryKey: listKey });
  };

  /** Reloads everything, because the pages may be out of date. */
  const reload = () => client.invalidateQueries();

  /**
   * Reloads everything after a failure that may mean that pages are out of date. A changed request is loaded by the dialog that
   * reports it.
   */
  const reloadAfter = ({ isPageOutdated, code }: ApiFailure): void => {
    if (isPageOutdated && code !== "request_changed") reload();
  };

  /** Reloads a token that an action on another token has changed. */
  const reloadToken = (tokenId: string) =>
    api("get", { token_id: tokenId }, { signal: undefined }).then(update, reload);

  return { show, update, reload, reloadAfter, reloadToken };
};

export interface TokenAction<Input, Changed = Token> {
  send: (api: AdminApi, input: Input) => Promise<Changed>;
  /** Returns a message about the updated token or trusted workload. */
  notice: (changed: Changed) => string;
  onClose: (changed: Changed) => void;
}

/**
 * Changes a token or a trusted workload once. Then the pages are updated, the dialog closes, and a message reports the change.
 * After a failure that may have changed something, everything is reloaded.
 */
export const useTokenAction = <Input = void, Changed extends Token | Trust = Token>({
  send,
  notice,
  onClose,
}: TokenAction<Input, Changed>): Sending<Input, Changed> => {
  const { notify } = useApp();
  const { update, reloadAfter } = useTokenCache();
  return useSending(send, {
    onDone: (changed) => {
      update(changed);
      onClose(changed);
      notify(notice(changed));
    },
    onFailure: reloadAfter,
  });
};

/** Removes the secret from a record. Only the dialog that shows the secret keeps it. */
export const withoutSecret = ({
  token: _token,
  invitation_text: _text,
  ...record
}: Token & { token?: string; invitation_text?: string }): Token => record;

/**
 * Issues a token or an invitation, shows its record and reports success. The browser asks before it leaves the page meanwhile,
 * because the response contains the only copy of the secret.
 *
 * @param notice returns the message for the token's name
 * @param replacedId a token that this also changes
 */
export const useIssue = <Issued extends Token, Input>(
  send: (api: AdminApi, input: Input) => Promise<Issued>,
  notice: (name: string) => string,
  replacedId?: string,
): Sending<Input, Issued> => {
  const { notify } = useApp();
  const { update, reloadAfter, reloadToken } = useTokenCache();
  const issue = useSending(send, {
    onDone: (issued) => {
      update(withoutSecret(issued));
      if (replacedId !== undefined) reloadToken(replacedId);
      notify(notice(tokenName(issued)));
    },
    onFailure: reloadAfter,
  });
  useBlocker(issue.isRunning);
  return issue;
};
