import { useQuery } from "@tanstack/react-query";
import type { Notice } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.ts";
import { dayMs } from "../../../parts/time.ts";

/** An older uncertainty needs no attention any more: what the notice was about either still does itself, or is over. */
const shownMs = 7 * dayMs;

/** There can be thousands of notices, of which nearly all were delivered: they are not read again all the time. */
const freshMs = 60 * 60_000;

/** The notices of the last days of which it is not known whether they were delivered. */
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
