import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import type { ReactNode } from "react";
import type { usePaging } from "./routes.ts";

type PassedOn = "items" | "columnDefinitions" | "trackBy" | "loading" | "loadingText" | "filter" | "footer";

interface ListTableProps<Item> extends Pick<TableProps<Item>, PassedOn> {
  title: string;
  description: ReactNode;
  /** Left out if the list cannot be loaded again. */
  refresh?: { isFetching: boolean; onRefresh: () => void };
  /** Buttons beside *Refresh*. */
  actions?: ReactNode;
  /** In place of the rows if there are none. */
  empty: ReactNode;
  pagination: ReactNode;
}

/** A table that is the whole content of a page. */
export const ListTable = <Item,>({ title, description, refresh, actions, ...table }: ListTableProps<Item>) => (
  <Table
    {...table}
    wrapLines
    ariaLabels={{ tableLabel: title }}
    header={
      <Header
        variant="h1"
        description={description}
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            {refresh && (
              <Button iconName="refresh" ariaLabel="Refresh" loading={refresh.isFetching} onClick={refresh.onRefresh} />
            )}
            {actions}
          </SpaceBetween>
        }
      >
        {title}
      </Header>
    }
  />
);

interface CursorPaginationProps extends Pick<ReturnType<typeof usePaging>, "page" | "goTo"> {
  nextCursor: string | null | undefined;
  isFetching: boolean;
}

/** Turns the pages of a list whose length is not known. */
export const CursorPagination = ({ page, goTo, nextCursor = null, isFetching }: CursorPaginationProps) => (
  <Pagination
    currentPageIndex={page}
    pagesCount={page + (nextCursor === null ? 0 : 1)}
    openEnd={nextCursor !== null}
    disabled={isFetching}
    onChange={({ detail }) => goTo(detail.currentPageIndex, nextCursor)}
  />
);

/** Says why a table has no rows. */
export const NothingHere = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">{title}</Box>
      {children}
    </SpaceBetween>
  </Box>
);
