import { useQuery } from "@tanstack/react-query";
import type { Trust } from "../api/types.ts";
import { useApp, usePolling } from "../parts/app-context.tsx";

/** The trusted workloads by their ids; for 90 days also those that have ended. */
export type Trusts = ReadonlyMap<string, Trust>;

export const trustsKey = ["trusts"];

const refreshMs = 60_000;

export const useTrusts = (isNeeded = true) => {
  const { api } = useApp();
  return useQuery({
    queryKey: trustsKey,
    queryFn: async ({ signal }): Promise<Trusts> => {
      const { trusts } = await api("list_trusts", {}, { signal });
      return new Map(trusts.map((trust) => [trust.trust_id, trust]));
    },
    enabled: isNeeded,
    refetchInterval: usePolling(() => refreshMs),
  });
};
