import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Table from "@cloudscape-design/components/table";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Change } from "../../../api/types.ts";
import { DroppedNote } from "../../../changes/dropped-note.tsx";
import { useApp } from "../../../parts/app-context.ts";
import { RefreshFailure } from "../../../parts/refresh-failure.tsx";
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
  const next = data?.next_cursor ?? null;
  const hasNext = next !== null;
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
      <Table
        items={data?.changes ?? []}
        columnDefinitions={columns}
        trackBy={nameOf}
        wrapLines
        loading={isPending}
        loadingText="Loading changes"
        empty={<NoChanges filters={filters} failure={error} onRetry={refetch} />}
        ariaLabels={{ tableLabel: "Changes" }}
        header={
          <Header
            variant="h1"
            description={
              <>
                Every change to tokens and keys, newest first. A change can take a moment to appear. <ZoneNote />
              </>
            }
            actions={<Button iconName="refresh" ariaLabel="Refresh" loading={isFetching} onClick={() => refetch()} />}
          >
            History
          </Header>
        }
        filter={
          <>
            <FilterForm filters={filters} failure={error} onChange={onChange} />
            <ExportTools key={historyAddress(filters)} filters={filters} />
          </>
        }
        footer={data !== undefined && data.dropped > 0 && <DroppedNote dropped={data.dropped} />}
        pagination={
          <Pagination
            currentPageIndex={page}
            pagesCount={page + (hasNext ? 1 : 0)}
            openEnd={hasNext}
            disabled={isFetching}
            onChange={({ detail }) => goTo(detail.currentPageIndex, next)}
          />
        }
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
