import { useQuery } from "@tanstack/react-query";
import { useApp } from "../../../parts/app-context.ts";
import type { HistoryFilters } from "./history-filters.ts";

const pageSize = 50;

/** The page of changes that match the filters and come after a cursor; the first page without one. */
export const useHistory = (filters: HistoryFilters, after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["history", "page", filters, after ?? null],
    queryFn: ({ signal }) => api("history", { ...filters, limit: pageSize, cursor: after }, { signal }),
  });
};
