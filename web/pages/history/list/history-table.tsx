import SpaceBetween from "@cloudscape-design/components/space-between";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Change } from "../../../api/types.ts";
import { DroppedNote } from "../../../changes/dropped-note.tsx";
import { useApp } from "../../../parts/app-context.ts";
import { CursorPagination, ListTable } from "../../../parts/list-table.tsx";
import { RefreshFailure } from "../../../parts/load-status.tsx";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { usePaging } from "../../../parts/use-paging.ts";
import { ZoneNote } from "../../../parts/zone-note.tsx";
import { useTokensOnce } from "../../../tokens/token-list.ts";
import { ExportTools } from "./export-tools.tsx";
import { FilterForm } from "./filter-form.tsx";
import { historyColumns } from "./history-columns.tsx";
import { type HistoryFilters, historyAddress } from "./history-filters.ts";
import { NoChanges } from "./no-changes.tsx";

interface HistoryTableProps {
  filters: HistoryFilters;
  onChange: (filters: HistoryFilters) => void;
}

/** The changes that match the filters, page by page. */
export const HistoryTable = ({ filters, onChange }: HistoryTableProps) => {
  useTokensOnce();
  const { after, page, goTo } = usePaging((cursor) => historyAddress(filters, cursor));
  const { data, dataUpdatedAt, error, isPending, isFetching, refetch } = useHistory(filters, after);
  const breakpoint = useBreakpoint();
  const columns = useMemo(() => historyColumns(breakpoint), [breakpoint]);
  return (
    <SpaceBetween size="m">
      {error && data && (
        <RefreshFailure
          title="The changes could not be refreshed"
          failure={error}
          loadedAt={dataUpdatedAt}
          onRetry={refetch}
        />
      )}
      <ListTable
        title="History"
        description={
          <>
            Every change to tokens and keys, newest first. A change can take a moment to appear. <ZoneNote />
          </>
        }
        refresh={{ isFetching, onRefresh: refetch }}
        items={data?.changes ?? []}
        columnDefinitions={columns}
        trackBy={nameOf}
        loading={isPending}
        loadingText="Loading changes"
        empty={<NoChanges filters={filters} failure={error} onRetry={refetch} />}
        filter={
          <>
            <FilterForm filters={filters} failure={error} onChange={onChange} />
            <ExportTools key={historyAddress(filters)} filters={filters} />
          </>
        }
        footer={data !== undefined && data.dropped > 0 && <DroppedNote dropped={data.dropped} />}
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
      />
    </SpaceBetween>
  );
};

const nameOf = ({ time, kind, token_id, key_id }: Change): string => JSON.stringify([time, kind, token_id, key_id]);

const pageSize = 50;

/** The page of changes that match the filters and come after a cursor; the first page without one. */
const useHistory = (filters: HistoryFilters, after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["history", "page", filters, after ?? null],
    queryFn: ({ signal }) => api("history", { ...filters, limit: pageSize, cursor: after }, { signal }),
  });
};
