import { useQuery } from "@tanstack/react-query";
import { useApp } from "../../../parts/app-context.ts";
import { usageKey } from "../../../tokens/token-queries.ts";
import { longestHours } from "./periods.ts";

/** The usage of a token for as long as the service keeps it, so that changing the range needs no other request. */
export const useUsage = (tokenId: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: usageKey(tokenId),
    queryFn: () => api("usage", { token_id: tokenId, hours: longestHours }),
  });
};
