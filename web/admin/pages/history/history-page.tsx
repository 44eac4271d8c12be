import { SpaceBetween, type TableProps } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { Change } from "../../api/types.ts";
import { ChangeSentence, ChangeSource, DroppedNote } from "../../changes/change-sentence.tsx";
import { useApp } from "../../parts/app-context.tsx";
import { type Breakpoint, useBreakpoint } from "../../parts/browser.ts";
import { RefreshFailure } from "../../parts/failures.tsx";
import { asCard, CursorPagination, ListTable, NothingHere } from "../../parts/list-table.tsx";
import { PageLink, PageTitle } from "../../parts/page.tsx";
import { usePaging } from "../../parts/routes.ts";
import { ExactMoment, ZoneNote } from "../../parts/values.tsx";
import { useTokensOnce } from "../../records/token-list.ts";
import { ExportTools } from "./export-tools.tsx";
import { FilterForm } from "./filter-form.tsx";
import {
  countFilters,
  type HistoryFilters,
  historyAddress,
  historyPagesKey,
  inputOf,
  parseFilters,
  rangeError,
} from "./history-filters.ts";

/** Lists every change to tokens and keys that matches the filters, page by page. */
export const HistoryPage = () => {
  const [, navigate] = useLocation();
  const address = historyAddress(parseFilters(useSearch()));
  // Keeps the same object while another page of the same filters is shown.
  const filters = useMemo(() => parseFilters(new URL(address, "http://any").search), [address]);
  useTokensOnce();
  const { after, page, goTo } = usePaging((cursor) => historyAddress(filters, cursor));
  const query = useHistory(filters, after);
  const { data, error, isFetching } = query;
  const breakpoint = useBreakpoint();
  const columns = useMemo(() => historyColumns(breakpoint), [breakpoint]);
  return (
    <SpaceBetween size="m">
      <PageTitle parts={["History"]} />
      <RefreshFailure subject="changes" query={query} />
      <ListTable
        title="History"
        description={
          <>
            What admins and clients changed, and who looked at a secret; newest first. A change can take a moment to
            appear. <ZoneNote />
          </>
        }
        subject="changes"
        query={query}
        items={data?.changes ?? []}
        columnDefinitions={columns}
        trackBy={nameOf}
        failed={
          error?.fields.cursor && (
            <NothingHere title="This page of the history does not exist">
              <PageLink href={addresses.history}>Show the newest changes</PageLink>
            </NothingHere>
          )
        }
        empty={<NoChanges filters={filters} />}
        filter={
          <>
            <FilterForm filters={filters} failure={error} onChange={(changed) => navigate(historyAddress(changed))} />
            <ExportTools key={address} filters={filters} isEmpty={data?.changes.length === 0} />
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

/** Loads the page of matching changes after a cursor, or the first page without a cursor. */
const useHistory = (filters: HistoryFilters, after: string | undefined) => {
  const { api } = useApp();
  return useQuery({
    queryKey: [...historyPagesKey, filters, after ?? null],
    queryFn: ({ signal }) => api("history", { ...inputOf(filters), limit: pageSize, cursor: after }, { signal }),
  });
};

/** Shown instead of rows if there are no changes. */
const NoChanges = ({ filters }: { filters: HistoryFilters }) =>
  countFilters(filters) > 0 ? (
    <NothingHere title="No changes match">
      {rangeError(filters)} <PageLink href={addresses.history}>Show all changes</PageLink>
    </NothingHere>
  ) : (
    <NothingHere title="No changes yet">Changes made before the service kept a history are not shown.</NothingHere>
  );

type Column = TableProps.ColumnDefinition<Change>;

/** Returns the table's columns. Narrow windows combine the same content into fewer columns. */
const historyColumns = (breakpoint: Breakpoint): Column[] =>
  breakpoint === "phone" ? [asCard([what, when])] : [when, what];

const when: Column = {
  id: "time",
  header: "When",
  width: 230,
  cell: ({ time }) => <ExactMoment time={time} />,
};

const what: Column = {
  id: "change",
  header: "Change",
  isRowHeader: true,
  minWidth: 300,
  cell: (change) => (
    <>
      <ChangeSentence change={change} />
      <ChangeSource change={change} />
    </>
  ),
};
