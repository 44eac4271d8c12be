import { queryOptions, useQuery } from "@tanstack/react-query";
import { isTrustId } from "../../../lambdas/domain/tokens/trust-id.ts";
import type { Trust } from "../api/types.ts";
import { useApp, usePolling } from "../parts/app-context.tsx";

/** The trusted workloads by id. Ended workloads are included for 90 days. */
export type Trusts = ReadonlyMap<string, Trust>;

export const trustsKey = ["trusts"];

const refreshMs = 60_000;

const useTrustOptions = () => {
  const { api } = useApp();
  return queryOptions({
    queryKey: trustsKey,
    queryFn: async ({ signal }): Promise<Trusts> => {
      const { trusts } = await api("list_trusts", {}, { signal });
      return new Map(trusts.map((trust) => [trust.trust_id, trust]));
    },
  });
};

export const useTrusts = () => useQuery({ ...useTrustOptions(), refetchInterval: usePolling(() => refreshMs) });

/** Returns a trusted workload for its name; `undefined` until it is known, and for the id of a token. */
export const useKnownTrust = (id: string): Trust | undefined =>
  useQuery({
    ...useTrustOptions(),
    enabled: isTrustId(id),
    staleTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  }).data?.get(id);
