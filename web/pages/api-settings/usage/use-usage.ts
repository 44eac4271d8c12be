import { useCallback } from "react";
import { useLoaded } from "../../../parts/use-loaded.ts";
import { useApp } from "../../../shell/app-context.ts";
import { longestHours } from "./periods.ts";

/** What became of a token's calls, as far back as the service looks: whatever is shown of it then need not be asked for. */
export const useUsage = (tokenId: string) => {
  const { api } = useApp();
  const load = useCallback(() => api.getUsage(tokenId, longestHours), [api, tokenId]);
  return useLoaded(load);
};
