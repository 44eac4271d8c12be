import { Alert, Button, CopyToClipboard, SpaceBetween, type TableProps } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ActionResponse } from "../../api/types.ts";
import { useApp } from "../../parts/app-context.tsx";
import { useBreakpoint } from "../../parts/browser.ts";
import { useDialogs } from "../../parts/dialog.tsx";
import { RefreshFailure } from "../../parts/failures.tsx";
import { FieldValue, summaryOf } from "../../parts/field-value.tsx";
import { asCard, CursorPagination, ListTable, NothingHere } from "../../parts/list-table.tsx";
import { PageLink, PageTitle } from "../../parts/page.tsx";
import { PrefixForm } from "../../parts/prefix-form.tsx";
import { usePaging, useQueryParameter } from "../../parts/routes.ts";
import { VisibleText, ZoneNote } from "../../parts/values.tsx";
import { visibleText } from "../../parts/visible-characters.ts";
import { RecordDialog, type RecordDialogProps } from "./record-dialog.tsx";

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
      {data !== undefined && data.left_out > 0 && <LeftOut count={data.left_out} />}
      <ListTable
        title={title}
        description={Object.values(shown?.columns ?? {}).includes("time") && <ZoneNote />}
        subject={subject}
        query={query}
        items={data?.records ?? []}
        columnDefinitions={isOnPhone ? [asCard(columns)] : columns}
        trackBy={(row) => JSON.stringify([row[shown?.id_column ?? ""], row[shown?.sort_column ?? ""]])}
        failed={error?.fields.cursor && <NothingHere title="This page does not exist">{all}</NothingHere>}
        empty={
          prefix === undefined ? (
            <NothingHere title={`No ${subject} yet`} />
          ) : (
            <NothingHere title="Nothing found here">
              {data?.next_cursor
                ? "The next pages may have more."
                : "Check the spelling. The search is case-sensitive."}
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

const LeftOut = ({ count }: { count: number }) => (
  <Alert type="warning">
    {count === 1 ? "One item is not shown because it" : `${count} items are not shown because they`} cannot be read. The
    log of the service names {count === 1 ? "it" : "them"} under <code>unreadable_record</code>.
  </Alert>
);

/** Returns a column for each field, with the key first. */
const columnsOf = ({ id_column, columns }: Page): TableProps.ColumnDefinition<Row>[] =>
  Object.entries(columns).map(([name, kind]) => ({
    id: name,
    header: name,
    isRowHeader: name === id_column,
    minWidth: name === id_column ? 180 : 120,
    cell: (row) => {
      if (name === id_column) return <Id text={String(row[name])} />;
      if (kind !== "list" && kind !== "object" && kind !== "any")
        return <FieldValue record={row} name={name} kind={kind} />;
      return <NestedValue name={name} title={String(row[id_column])} record={row} columns={columns} />;
    },
  }));

interface NestedValueProps extends RecordDialogProps {
  name: string;
}

/** Summarizes a list or an object. A dialog shows all of it. */
const NestedValue = ({ name, ...shown }: NestedValueProps) => {
  const { open } = useDialogs();
  const summary = summaryOf(shown.record[name]);
  if (typeof shown.record[name] !== "object" || shown.record[name] === null) return <VisibleText text={summary} />;
  return (
    <Button
      variant="inline-link"
      ariaLabel={`Show ${name} of ${visibleText(shown.title)}`}
      onClick={() => open(<RecordDialog {...shown} />)}
    >
      {visibleText(summary.length > maxSummaryLength ? `${summary.slice(0, maxSummaryLength)}…` : summary)}
    </Button>
  );
};

const maxSummaryLength = 60;

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

/** Returns a store's name in words, such as "Open orders" for `openOrders`. */
export const titleOf = (store: string): string => {
  const words = store.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
