import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { usePolling } from "../../../parts/use-polling.ts";
import { useTokenCache } from "../token/token-queries.ts";
import { nextInTurn, soonMs } from "./outstanding.ts";

/** Look-ups at a time, however many tokens there are: they take turns. */
const atATime = 3;

/** Keeps tokens up to date of which something is expected soon, without loading all others again. */
export const useOutstanding = (tokens: readonly Token[]) => {
  const { api } = useApp();
  const { show } = useTokenCache();
  const last = useRef("");
  const ids = tokens.map(({ token_id }) => token_id);
  return useQuery({
    queryKey: ["outstanding"],
    queryFn: async ({ signal }) => {
      const turn = nextInTurn(ids, last.current, atATime);
      last.current = turn.at(-1) ?? "";
      for (const token of await Promise.all(turn.map((token_id) => api("get", { token_id }, { signal })))) show(token);
      return Date.now();
    },
    enabled: ids.length > 0,
    refetchInterval: usePolling<number>(() => soonMs),
  });
};
