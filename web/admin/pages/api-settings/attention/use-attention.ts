import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { allPages } from "../../../api/admin-api.ts";
import type { Notice, Token } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import { dayMs } from "../../../parts/time.ts";
import type { Trusts } from "../../../records/caches.ts";
import type { Leaks } from "../usage/leaks.ts";
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
      const pages = await allPages((cursor) => api("notices", { limit: 1000, cursor }, { signal }));
      return pages
        .flatMap(({ notices }) => notices)
        .filter(({ topic, bus, found_at }) => (topic === "uncertain" || bus === "uncertain") && found_at >= since);
    },
    staleTime: freshMs,
  });
};
