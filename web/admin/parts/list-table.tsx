import { Box, Button, Header, Pagination, SpaceBetween, Table, type TableProps } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { useBreakpoint } from "./browser.ts";
import { LoadFailure, type Loading } from "./failures.tsx";
import type { usePaging } from "./routes.ts";

interface ListTableProps<Item> extends Omit<TableProps<Item>, "header"> {
  title: string;
  /** False if something else serves as the heading. */
  isTitled?: boolean;
  description?: ReactNode;
  /** What the table lists, such as "keys". */
  subject: string;
  query: Loading & { isPending: boolean; isFetching: boolean };
  /** Buttons next to *Refresh*. */
  actions?: ReactNode;
  /** Shown instead of rows if they couldn't be loaded. */
  failed?: ReactNode;
}

/** A table with filters and pages. The table says what has been loaded, what failed, and why there are no rows. */
export const ListTable = <Item,>(props: ListTableProps<Item>) => {
  const { title, isTitled = true, description, subject, query, actions, failed, ...table } = props;
  const failure = query.data === undefined ? query.error : null;
  const list = (
    <Table
      loading={query.isPending}
      loadingText={`Loading ${subject}`}
      {...table}
      wrapLines
      ariaLabels={{ tableLabel: title, ...table.ariaLabels }}
      empty={
        failure ? (failed ?? <LoadFailure subject={subject} failure={failure} onRetry={query.refetch} />) : table.empty
      }
    />
  );
  if (!isTitled) return list;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description={description}
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            <Button iconName="refresh" ariaLabel="Refresh" loading={query.isFetching} onClick={query.refetch} />
            {actions}
          </SpaceBetween>
        }
      >
        {title}
      </Header>
      {list}
    </SpaceBetween>
  );
};

interface SmallTableProps<Item> extends Pick<TableProps<Item>, "trackBy"> {
  title: string;
  /** False if something else serves as the heading. */
  isTitled?: boolean;
  items: readonly Item[];
  columns: readonly Column<Item>[];
}

type Column<Item> = TableProps.ColumnDefinition<Item>;

/** Combines all columns into one for phones: the row header, and below it the other values with their names. */
export const asCard = <Item,>(columns: readonly Column<Item>[]): Column<Item> => {
  const header = columns.find(({ isRowHeader }) => isRowHeader);
  const others = columns.filter((column) => column !== header);
  return {
    id: "card",
    header: header?.header,
    isRowHeader: true,
    minWidth: 100,
    cell: (item) => (
      <>
        {header?.cell(item)}
        <div className="card-lines">
          {others.map((column) => (
            <div key={column.id} className="card-line">
              <span className="remark">{column.header}</span>
              <div>{column.cell(item)}</div>
            </div>
          ))}
        </div>
      </>
    ),
  };
};

/** A table within a section of a page. */
export const SmallTable = <Item,>(props: SmallTableProps<Item>) => {
  const { title, isTitled = true, items, columns, ...table } = props;
  return (
    <Table
      {...table}
      items={items}
      columnDefinitions={useBreakpoint() === "phone" ? [asCard(columns)] : columns}
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: title }}
      header={
        isTitled && (
          <Header variant="h3" counter={`(${items.length.toLocaleString("en")})`}>
            {title}
          </Header>
        )
      }
    />
  );
};

interface CursorPaginationProps extends Pick<ReturnType<typeof usePaging>, "page" | "goTo"> {
  nextCursor: string | null | undefined;
  isFetching: boolean;
}

/** Page navigation for a list of unknown length. */
export const CursorPagination = ({ page, goTo, nextCursor = null, isFetching }: CursorPaginationProps) => (
  <Pagination
    currentPageIndex={page}
    pagesCount={page + (nextCursor === null ? 0 : 1)}
    openEnd={nextCursor !== null}
    disabled={isFetching}
    onChange={({ detail }) => goTo(detail.currentPageIndex, nextCursor)}
  />
);

/** Explains why a table has no rows. */
export const NothingHere = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">{title}</Box>
      {children}
    </SpaceBetween>
  </Box>
);
