import { useQuery } from "@tanstack/react-query";
import type { Trust } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { listKey, type TokenList } from "../../../tokens/token-list.ts";
import { isLive, statusOf } from "../token/token-status.ts";

/** How many tokens of a trusted workload work, of those that have been loaded. */
export const useLiveCount = ({ trust_id }: Trust): number => {
  const { data: list } = useQuery<TokenList>({ queryKey: listKey, enabled: false });
  const now = useNow();
  const tokens = [...(list?.byId.values() ?? [])];
  return tokens.filter((token) => token.trust_id === trust_id && isLive(statusOf(token, now))).length;
};
