import { useQuery } from "@tanstack/react-query";
import type { Leak, Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { isLive, statusOf } from "../token/token-status.ts";

/** The tokens whose correct secret recently came from a wrong address, by their ids. */
export type Leaks = ReadonlyMap<string, Leak>;

export const useLeaks = () => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["leaks"],
    queryFn: async (): Promise<Leaks> => {
      const { leaks } = await api("leaks", {});
      return new Map(leaks.map((leak) => [leak.token_id, leak]));
    },
  });
};

/** The leaks that can still do harm: those of live tokens. */
export const harmfulLeaks = (leaks: Leaks | undefined, tokens: Token[], now: number): [Token, Leak][] =>
  tokens.flatMap((token) => {
    const leak = leaks?.get(token.token_id);
    return leak && isLive(statusOf(token, now)) ? [[token, leak]] : [];
  });
