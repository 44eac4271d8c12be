import { useQuery } from "@tanstack/react-query";
import type { Notice } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { dayMs } from "../../../parts/time.ts";

/** Older notices need no attention any more: what they were about either is in the list itself, or is over. */
const shownMs = 7 * dayMs;

/** They are not read more often, because there can be thousands of notices, and nearly all were delivered. */
const freshMs = 60 * 60_000;

/** The notices of the last days that may not have been delivered. */
export const useUncertainNotices = () => {
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
