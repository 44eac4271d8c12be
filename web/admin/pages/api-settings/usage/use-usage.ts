import { useQuery } from "@tanstack/react-query";
import type { Rotation, Usage } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { usageKey } from "../../../tokens/token-queries.ts";
import { longestHours } from "./periods.ts";

/** Loads all usage that the service keeps, so that changing the range needs no further request. */
export const useUsage = (tokenId: string) => {
  const { api } = useApp();
  return useQuery({
    queryKey: usageKey(tokenId),
    queryFn: ({ signal }) => api("usage", { token_id: tokenId, hours: longestHours }, { signal }),
    // Parts of a page that appear together share one response. A dialog that opens later reloads it.
    staleTime: 1_000,
  });
};

/** How far the client of a rotated token has switched over. */
export type RotationProgress = "old-in-use" | "new-unused" | "unknown" | "changed";

/** With log_level `warn` or above, successful calls aren't counted, so a successor without any may still be in use. */
export const rotationProgress = (
  { log_level }: Pick<Usage, "log_level">,
  { used_since, successor_first_used_at }: Rotation,
): RotationProgress => {
  if (used_since) return "old-in-use";
  if (successor_first_used_at !== null) return "changed";
  return log_level === "info" ? "new-unused" : "unknown";
};
