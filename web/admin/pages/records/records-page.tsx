import { CopyToClipboard, SpaceBetween, type TableProps } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ActionResponse } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { useBreakpoint } from "../../parts/browser.ts";
import { RefreshFailure } from "../../parts/failures.tsx";
import { asCard, CursorPagination, ListTable, NothingHere } from "../../parts/list-table.tsx";
import { PageLink, PageTitle } from "../../parts/page.tsx";
import { PrefixForm } from "../../parts/prefix-form.tsx";
import { usePaging, useQueryParameter } from "../../parts/routes.ts";
import { ExactMoment, VisibleText, ZoneNote } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";

type Page = ActionResponse<"list_records">;
type Row = Page["records"][number];

const pageSize = 50;
const maxPrefixLength = 1000;

/** Lists the records of a store, page by page, read-only. */
export const RecordsPage = ({ store }: { store: string }) => {
  const { api } = useApp();
  const prefix = useQueryParameter("prefix") || undefined;
  const withPrefix = prefix === undefined ? {} : { prefix };
  const { after, page, goTo } = usePaging((cursor) =>
    addresses.recordsIn(store, { ...withPrefix, ...(cursor !== undefined && { after: cursor }) }),
  );
  const query = useQuery({
    queryKey: ["records", store, prefix ?? null, after ?? null],
    queryFn: ({ signal }) => api("list_records", { store, ...withPrefix, limit: pageSize, cursor: after }, { signal }),
  });
  const { data, error, isFetching } = query;
  const isOnPhone = useBreakpoint() === "phone";
  // The previous page's columns stay while the next page is loading.
  const [shown, setShown] = useState(data);
  if (data && data !== shown) setShown(data);
  const columns = useMemo(() => (shown ? columnsOf(shown) : []), [shown]);
  const title = titleOf(store);
  const subject = title.toLowerCase();
  const all = <PageLink href={addresses.recordsIn(store)}>Show all {subject}</PageLink>;
  return (
    <SpaceBetween size="m">
      <PageTitle parts={[...(prefix === undefined ? [] : [visibleText(prefix)]), title]} />
      <RefreshFailure subject={subject} query={query} />
      <ListTable
        title={title}
        description={Object.values(shown?.columns ?? {}).includes("time") && <ZoneNote />}
        subject={subject}
        query={query}
        items={data?.records ?? []}
        columnDefinitions={isOnPhone ? [asCard(columns)] : columns}
        trackBy={(row) => String(row[shown?.id_column ?? ""])}
        failed={error?.fields.cursor && <NothingHere title="This page does not exist">{all}</NothingHere>}
        empty={
          prefix === undefined ? (
            <NothingHere title={`No ${subject} yet`} />
          ) : (
            <NothingHere title="Nothing found here">
              {data?.next_cursor ? "The next pages may have more." : "Check the spelling: upper and lower case differ."}
              {all}
            </NothingHere>
          )
        }
        filter={
          <PrefixForm
            key={prefix}
            prefix={prefix}
            name={shown?.id_column ?? "id"}
            maxLength={maxPrefixLength}
            subject={subject}
            addressOf={(text) => addresses.recordsIn(store, text === undefined ? {} : { prefix: text })}
          />
        }
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
      />
    </SpaceBetween>
  );
};

/** Returns a column for each field, with the id first. */
const columnsOf = ({ id_column, columns }: Page): TableProps.ColumnDefinition<Row>[] => [
  {
    id: id_column,
    header: id_column,
    isRowHeader: true,
    minWidth: 180,
    cell: (row) => <Id text={String(row[id_column])} />,
  },
  ...Object.entries(columns)
    .filter(([name]) => name !== id_column)
    .map(([name, kind]) => ({
      id: name,
      header: name,
      minWidth: 120,
      cell: (row: Row) => shownValue(row[name], kind),
    })),
];

const Id = ({ text }: { text: string }) => (
  <>
    <code className="address breakable">
      <VisibleText text={text} />
    </code>{" "}
    <CopyToClipboard
      variant="icon"
      copyButtonAriaLabel={`Copy ${visibleText(text)}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow copying: select the text and copy it by hand."
      textToCopy={text}
    />
  </>
);

const shownValue = (value: string | number | undefined, kind: Page["columns"][string]) => {
  if (value === undefined) return "–";
  if (kind === "time") return <ExactMoment time={String(value)} />;
  return kind === "number" ? String(value) : <VisibleText text={String(value)} />;
};

/** Returns a store's name in words, such as "Open orders" for `openOrders`. */
export const titleOf = (store: string): string => {
  const words = store.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
