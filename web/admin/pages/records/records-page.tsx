import { Alert, Button, SpaceBetween, type TableProps } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import { loadPages } from "../../api/admin-api.ts";
import type { ActionResponse } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { useBreakpoint } from "../../parts/browser.ts";
import { useDialogs } from "../../parts/dialog.tsx";
import { RefreshFailure } from "../../parts/failures.tsx";
import { FieldValue, summaryOf } from "../../parts/field-value.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { asCard, CursorPagination, ListTable, NothingHere } from "../../parts/list-table.tsx";
import { PageLink, PageTitle } from "../../parts/page.tsx";
import { PrefixForm } from "../../parts/prefix-form.tsx";
import { usePaging, useQueryParameter } from "../../parts/routes.ts";
import { OneLine, ZoneNote } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";
import { type Found, type Index, IndexForm } from "./index-form.tsx";
import { RecordDialog } from "./record-dialog.tsx";

type Page = ActionResponse<"list_records">;
type Row = Page["records"][number];

const pageSize = 50;
const maxPrefixLength = 1000;

/** The widths of tables that certainly fit into a window. A desktop's window scrolls a wider table sideways. */
const roomFor = { phone: 0, tablet: 640, desktop: Number.POSITIVE_INFINITY };

const widthOf = (columns: readonly TableProps.ColumnDefinition<Row>[]): number =>
  columns.reduce((sum, { minWidth }) => sum + Number(minWidth), 0);

/** Joins the parts of a page. A search reads on until its page is full. */
const joined = (parts: readonly Page[]): Page =>
  parts.reduce((before, next) => ({
    ...next,
    records: [...before.records, ...next.records],
    left_out: before.left_out + next.left_out,
  }));

/** Lists the records of a store, page by page, read-only. */
export const RecordsPage = ({ store }: { store: string }) => {
  const { api } = useApp();
  const filter = useFilter();
  const { after, page, goTo } = usePaging((cursor) =>
    addresses.recordsIn(store, { ...filter, ...(cursor !== undefined && { after: cursor }) }),
  );
  const query = useQuery({
    queryKey: ["records", store, filter, after ?? null],
    queryFn: async ({ signal }) => {
      const load = (cursor?: string) => api("list_records", { store, ...filter, limit: pageSize, cursor }, { signal });
      const isEnough = (read: readonly Page[]) => read.flatMap(({ records }) => records).length >= pageSize;
      return joined(await loadPages(load, { after, isEnough }));
    },
    // A search reads all records, so it is not repeated when the user turns back to an earlier page.
    staleTime: filter.prefix === undefined ? 0 : Number.POSITIVE_INFINITY,
  });
  const { data, error, isFetching } = query;
  const breakpoint = useBreakpoint();
  // The previous page's columns stay while the next page is loading.
  const [shown, setShown] = useState(data);
  if (data && data !== shown) setShown(data);
  const columns = useMemo(() => (shown ? columnsOf(shown) : []), [shown]);
  const title = titleOf(store);
  const subject = title.toLowerCase();
  const all = <PageLink href={addresses.recordsIn(store)}>Show all {subject}</PageLink>;
  const { prefix } = filter;
  return (
    <SpaceBetween size="m">
      <PageTitle parts={[...(prefix === undefined ? [] : [visibleText(prefix)]), title]} />
      <RefreshFailure subject={subject} query={query} />
      {data !== undefined && data.left_out > 0 && <LeftOut count={data.left_out} />}
      <ListTable
        title={title}
        description={
          <>
            {filter.index === undefined && "In no particular order."}{" "}
            {Object.values(shown?.columns ?? {}).includes("time") && <ZoneNote />}
          </>
        }
        subject={subject}
        query={query}
        items={data?.records ?? []}
        columnDefinitions={widthOf(columns) > roomFor[breakpoint] ? [asCard(columns)] : columns}
        trackBy={(row) => JSON.stringify([row[shown?.id_column ?? ""], row[shown?.sort_column ?? ""]])}
        failed={
          error &&
          Object.keys(error.fields).length > 0 && <NothingHere title="This page does not exist">{all}</NothingHere>
        }
        empty={
          Object.keys(filter).length === 0 ? (
            <NothingHere title={`No ${subject} yet`} />
          ) : (
            <NothingHere title="Nothing found here">
              Check the spelling. The search is case-sensitive.
              {all}
            </NothingHere>
          )
        }
        filter={
          <FilterForm
            key={JSON.stringify(filter)}
            {...{ store, filter, id: shown?.id_column ?? "id" }}
            indexes={shown?.indexes ?? []}
          >
            <PrefixForm
              prefix={prefix}
              name={shown?.id_column ?? "id"}
              maxLength={maxPrefixLength}
              subject={subject}
              addressOf={(text) => addresses.recordsIn(store, text === undefined ? {} : { prefix: text })}
            />
          </FilterForm>
        }
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
      />
    </SpaceBetween>
  );
};

/** Which records the address selects: all, those whose id has a prefix, or those that an index finds. */
type Filter = { prefix?: string } & ({ [Name in keyof Found]?: never } | Found);

const useFilter = (): Filter => {
  const prefix = useQueryParameter("prefix") || undefined;
  const index = useQueryParameter("index");
  const where = useQueryParameter("where") ?? "";
  const order = useQueryParameter("order") === "ascending" ? "ascending" : "descending";
  if (index !== undefined) return { index, where, order };
  return prefix === undefined ? {} : { prefix };
};

interface FilterFormProps {
  store: string;
  filter: Filter;
  /** The name of the id column. */
  id: string;
  indexes: readonly Index[];
  /** The form without an index. */
  children: ReactNode;
}

/** The choice of an index, and its form. */
const FilterForm = ({ store, filter, id, indexes, children }: FilterFormProps) => {
  const [name, setName] = useState(filter.index ?? "");
  const index = indexes.find((one) => one.name === name);
  if (indexes.length === 0) return children;
  return (
    <div className="record-filter row">
      <SelectField
        label="Find by"
        value={name}
        error=""
        options={[
          { value: "", label: `Beginning of ${id}` },
          ...indexes.map((one) => ({ value: one.name, label: one.partition.map((field) => field.name).join(", ") })),
        ]}
        onChange={setName}
      />
      {index ? (
        <IndexForm
          key={name}
          index={index}
          found={filter.index === name ? filter : undefined}
          addressOf={(found) => addresses.recordsIn(store, { ...found })}
        />
      ) : (
        children
      )}
    </div>
  );
};

const LeftOut = ({ count }: { count: number }) => (
  <Alert type="warning">
    {count === 1 ? "One item is not shown because it" : `${count} items are not shown because they`} cannot be read. The
    log of the service names {count === 1 ? "it" : "them"} under <code>unreadable_record</code>.
  </Alert>
);

/** Returns a column for each field, with the key first. */
const columnsOf = (page: Page): TableProps.ColumnDefinition<Row>[] =>
  Object.entries(page.columns).map(([name, kind]) => ({
    id: name,
    header: name,
    isRowHeader: name === page.id_column,
    minWidth: kind === "time" ? 190 : 120,
    cell: (row) => {
      if (name === page.id_column) return <Id record={row} page={page} />;
      if (kind === "time") return <FieldValue record={row} name={name} kind={kind} />;
      return <OneLine text={summaryOf(row[name])} />;
    },
  }));

/** Shows a record's id, which opens the whole record. */
const Id = ({ record, page }: { record: Row; page: Page }) => {
  const { open } = useDialogs();
  const { id_column, sort_column } = page;
  const id = String(record[id_column]);
  const title = sort_column === null ? id : `${id}, ${record[sort_column]}`;
  return (
    <Button
      variant="inline-link"
      ariaLabel={`Show ${visibleText(title)}`}
      onClick={() => open(<RecordDialog {...{ title, record, page }} />)}
    >
      <OneLine text={id} />
    </Button>
  );
};

/** Returns a store's name in words, such as "Open orders" for `openOrders`. */
export const titleOf = (store: string): string => {
  const words = store.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
