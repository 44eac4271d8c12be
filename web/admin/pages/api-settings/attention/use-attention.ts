import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Notice, Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { dayMs } from "../../../parts/time.ts";
import type { Trusts } from "../../../tokens/trusts.ts";
import type { Leaks } from "../usage/leak-sources.ts";
import { attentionItems } from "./attention-items.ts";

const none: readonly Notice[] = [];

/** Returns what needs attention, and the two inputs that aren't part of the token list. */
export const useAttention = (tokens: readonly Token[], trusts: Trusts | undefined, now: number) => {
  const leaks = useLeaks();
  const notices = useUncertainNotices();
  const { data: uncertain = none } = notices;
  const items = useMemo(
    () => attentionItems(tokens, { leaks: leaks.data, trusts: [...(trusts?.values() ?? [])], uncertain, now }),
    [tokens, trusts, leaks.data, uncertain, now],
  );
  return { items, leaks, notices };
};

const useLeaks = () => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["leaks"],
    queryFn: async ({ signal }): Promise<Leaks> => {
      const { leaks } = await api("leaks", {}, { signal });
      return new Map(leaks.map((leak) => [leak.token_id, leak]));
    },
  });
};

/** Older notices need no attention: either the list still shows their subject, or the matter is over. */
const shownMs = 7 * dayMs;

/** Notices aren't reloaded more often, because there can be thousands and nearly all were delivered. */
const freshMs = 60 * 60_000;

/** Loads the recent notices that may not have been delivered. */
const useUncertainNotices = () => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["notices", "uncertain"],
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - shownMs).toISOString();
      const uncertain: Notice[] = [];
      let cursor: string | undefined;
      do {
        const { notices, next_cursor } = await api("notices", { limit: 1000, cursor }, { signal });
        uncertain.push(...notices.filter((notice) => isUncertain(notice) && notice.found_at >= since));
        cursor = next_cursor ?? undefined;
      } while (cursor !== undefined);
      return uncertain;
    },
    staleTime: freshMs,
  });
};

const isUncertain = ({ topic, bus }: Notice): boolean => topic === "uncertain" || bus === "uncertain";
