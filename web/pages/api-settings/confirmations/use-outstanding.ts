import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { usePolling } from "../../../parts/use-polling.ts";
import { useTokenCache } from "../../../tokens/token-queries.ts";
import { nextInTurn, soonMs } from "./outstanding.ts";

/** How many tokens are looked up at a time. If there are more, they take turns. */
const atATime = 3;

/** Reloads the tokens that will soon need a decision, without reloading all the others. */
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
