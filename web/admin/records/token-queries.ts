import { type QueryFunctionContext, queryOptions, replaceEqualDeep, useQuery } from "@tanstack/react-query";
import { isTrustId } from "../../../lambdas/domain/tokens/trust-id.ts";
import type { ReadingApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import type { Token, Trust } from "../api/types.ts";
import { useApp, usePolling } from "../parts/app-context.tsx";
import { asNamed, type Named } from "../parts/token-name.tsx";
import { changesKey, recordKey, showInList, showInTrusts, type Trusts, trustsKey, usageKey } from "./caches.ts";
import { useLoadedTokens } from "./token-list.ts";

/** Loads a token by its id. A list may have been read before the token was created. */
export const tokenQuery = (api: ReadingApi, token_id: string) =>
  queryOptions({
    queryKey: recordKey(token_id),
    queryFn: async (context) => {
      const token = await api("get", { token_id }, context);
      refreshChanges(context, token);
      showInList(context.client, token);
      return token;
    },
  });

/** Loads a trusted workload by its id. The list may have been read before it was trusted. */
export const trustQuery = (api: ReadingApi, trust_id: string) =>
  queryOptions({
    queryKey: recordKey(trust_id),
    queryFn: async (context) => {
      const trust = await api("get_trust", { trust_id }, context);
      refreshChanges(context, trust);
      showInTrusts(context.client, trust);
      return trust;
    },
  });

/** Loads a record's history again if the record has changed since it was shown. */
const refreshChanges = ({ client, queryKey }: QueryFunctionContext, record: Token | Trust): void => {
  const shown = client.getQueryData<Token | Trust>(queryKey);
  if (!shown || replaceEqualDeep(shown, record) === shown) return;
  client.invalidateQueries({
    queryKey: changesKey({ token_id: "subject" in record ? record.trust_id : record.token_id }),
  });
};

/** Whether the service has no such record. This includes ids that no record can have. */
export const isUnknownRecord = (failure: ApiFailure | null): boolean =>
  failure?.status === 404 ||
  (failure?.status === 422 && ("token_id" in failure.fields || "trust_id" in failure.fields));

/**
 * Loads a token. Until it is loaded, or if loading fails, returns it from the list.
 *
 * @param everyMs how often to reload it while the page is visible
 */
export const useToken = (tokenId: string, everyMs: (token: Token) => number | false) => {
  const query = useQuery({ ...tokenQuery(useApp().api, tokenId), refetchInterval: usePolling(everyMs) });
  const { data: list } = useLoadedTokens();
  if (query.data) return query;
  return { ...query, data: list?.byId.get(tokenId), dataUpdatedAt: list?.loadedAt ?? 0 };
};

const trustRefreshMs = 60_000;

/** Loads a trusted workload. Until it is loaded, or if loading fails, returns it from the list. */
export const useTrust = (trustId: string) => {
  const query = useQuery({ ...trustQuery(useApp().api, trustId), refetchInterval: usePolling(() => trustRefreshMs) });
  const { data: trusts, dataUpdatedAt } = useQuery<Trusts>({ queryKey: trustsKey, enabled: false });
  return query.data ? query : { ...query, data: trusts?.get(trustId), dataUpdatedAt };
};

/**
 * Returns the last known version of a token or trusted workload, for its name. The list's version is used if there is one.
 * `undefined` until it is known.
 */
export const useKnownToken = (id: string): Named | undefined => {
  const { api } = useApp();
  // The 404 for a missing record is a final result.
  const once = { staleTime: Number.POSITIVE_INFINITY, retryOnMount: false };
  const trust = useQuery({ ...useTrustsOptions(), ...once, enabled: isTrustId(id) }).data?.get(id);
  const { data: list, fetchStatus } = useLoadedTokens();
  const isListed = list !== undefined || fetchStatus !== "idle";
  const { data } = useQuery({ ...tokenQuery(api, id), ...once, enabled: !isTrustId(id) && !isListed });
  return trust ? asNamed(trust) : (list?.byId.get(id) ?? data);
};

const useTrustsOptions = () => {
  const { api } = useApp();
  return queryOptions({
    queryKey: trustsKey,
    queryFn: async ({ signal }): Promise<Trusts> => {
      const { trusts } = await api("list_trusts", {}, { signal });
      return new Map(trusts.map((trust) => [trust.trust_id, trust]));
    },
  });
};

export const useTrusts = () => useQuery({ ...useTrustsOptions(), refetchInterval: usePolling(() => trustRefreshMs) });

/** How far back the service keeps usage, in hours. */
export const usageHours = 168;

/** Loads all usage that the service keeps, so that changing the range needs no further request. */
export const useUsage = (token_id: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: usageKey(token_id),
    queryFn: ({ signal }) => api("usage", { token_id, hours: usageHours }, { signal }),
    // Parts of a page that appear together share one response. A dialog that opens later reloads it.
    staleTime: 1_000,
  });
};
