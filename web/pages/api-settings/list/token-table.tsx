import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Table from "@cloudscape-design/components/table";
import { useMemo, useRef, useState } from "react";
import type { Token } from "../../../api/types.ts";
import { FailureAlert } from "../../../parts/failures.tsx";
import { useNow } from "../../../parts/time.ts";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { useTokenList } from "../../../tokens/token-list.ts";
import { tokenName } from "../../../tokens/token-name.tsx";
import { idsNeeding } from "../attention/attention-items.ts";
import { NeedsAttention } from "../attention/needs-attention.tsx";
import { useAttention } from "../attention/use-attention.ts";
import { isOutstanding, useOutstanding } from "../confirmations/outstanding.ts";
import type { OpenDialog } from "../token/open-dialog.ts";
import { arrange, comparators, sortColumns } from "./arrange.ts";
import { ListAlerts, NoMatch, NoTokens } from "./list-states.tsx";
import { defaultView, queryOf, useListView } from "./list-view.ts";
import { SeveralDialog } from "./several/several-dialog.tsx";
import type { SeveralAction } from "./several/several-plan.ts";
import { TableTools } from "./table-tools.tsx";
import { tokenColumns } from "./token-columns.tsx";
import { useSteadyOrder } from "./use-steady-order.ts";

const pageSize = 25;

interface TokenTableProps {
  /** The query of the list's own address. */
  search: string;
  /** Not while the page of one token hides the list. */
  isShown: boolean;
  onOpen: (dialog: OpenDialog) => void;
}

/** All tokens: filter, search, sort, turn pages, and the actions on one or several. */
export const TokenTable = ({ search, isShown, onOpen }: TokenTableProps) => {
  const { data: list, ...query } = useTokenList(isShown);
  const { view, change, type, finishTyping } = useListView(search);
  const breakpoint = useBreakpoint();
  const now = useNow();
  const section = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);
  const [several, setSeveral] = useState<SeveralAction>();

  const tokens = useMemo(() => [...(list?.byId.values() ?? [])], [list?.byId]);
  const outstanding = useMemo(() => tokens.filter((token) => isOutstanding(token, now)), [tokens, now]);
  const watch = useOutstanding(isShown ? outstanding : []);
  const attention = useAttention(tokens, now);
  const { items, leaks } = attention;
  const needing = useMemo(() => view.attention && idsNeeding(items, view.attention), [items, view.attention]);
  const { page } = view;
  const order = queryOf({ ...view, page: 1 });
  const { settledCount, isHeld, release } = useSteadyOrder(list, order, section);
  const arranged = useMemo(
    () => arrange(tokens, { view, needing, now, settledCount }),
    [tokens, view, needing, now, settledCount],
  );
  const columns = useMemo(() => tokenColumns({ breakpoint, leaks, onOpen }), [breakpoint, leaks, onOpen]);
  const select = (some: readonly Token[]) => setSelectedIds(some.map(({ token_id }) => token_id));
  const selected = selectedIds.flatMap((id) => list?.byId.get(id) ?? []);
  const isArriving = list?.missing === "rest" && query.isFetching;
  const isLongRefresh = query.isFetching && !isArriving && list !== undefined && list.arrivedCount > 0;
  const pageCount = Math.max(1, Math.ceil(arranged.length / pageSize));
  const isPageArriving = isArriving && page > pageCount;
  const shownPage = Math.min(page, pageCount);
  const clear = () => change({ ...defaultView, sort: view.sort, isDescending: view.isDescending });
  const refresh = () => {
    query.refetch();
    attention.refetch();
  };
  const inviteButton = (
    <Button variant="primary" onClick={() => onOpen({ name: "invite" })}>
      Invite a client
    </Button>
  );

  return (
    <div ref={section} className="token-list">
      <SpaceBetween size="m">
        <Header variant="h1" description="Clients need a token to call the API.">
          API settings
        </Header>
        <NeedsAttention
          items={items}
          isArriving={isArriving}
          onOpen={onOpen}
          onShowAll={(attention) => {
            change({ ...defaultView, attention });
            table.current?.scrollIntoView();
          }}
        />
        {watch.error && outstanding.length > 0 && (
          <FailureAlert
            title="New requests for confirmation could not be loaded"
            failure={watch.error}
            onRetry={watch.refetch}
          />
        )}
        {attention.failures.map((failure) => (
          <FailureAlert key={failure.title} {...failure} />
        ))}
        {list && <ListAlerts list={list} failure={query.error} onRetry={query.refetch} />}
        <div ref={table}>
          <Table
            items={isPageArriving ? [] : arranged.slice((shownPage - 1) * pageSize, shownPage * pageSize)}
            columnDefinitions={columns}
            trackBy="token_id"
            variant="container"
            wrapLines
            sortingColumn={{ sortingComparator: comparators[view.sort] }}
            sortingDescending={view.isDescending}
            onSortingChange={({ detail: { sortingColumn, isDescending = false } }) => {
              const sort = sortColumns.find((name) => comparators[name] === sortingColumn.sortingComparator);
              if (sort) change({ sort, isDescending });
            }}
            selectionType="multi"
            selectedItems={selected}
            onSelectionChange={({ detail }) => select(detail.selectedItems)}
            loading={query.isPending || isPageArriving}
            loadingText={isPageArriving ? "Loading this page" : "Loading tokens"}
            empty={
              list && tokens.length > 0 ? (
                <NoMatch isArriving={isArriving} onClear={clear} />
              ) : query.error ? (
                <FailureAlert title="The tokens could not be loaded" failure={query.error} onRetry={query.refetch} />
              ) : (
                <NoTokens action={inviteButton} />
              )
            }
            ariaLabels={{
              tableLabel: "Tokens",
              selectionGroupLabel: "Tokens to select",
              allItemsSelectionLabel: () => "Select all tokens on this page",
              itemSelectionLabel: (_, token: Token) => `Select ${tokenName(token)}`,
            }}
            header={
              <Header
                variant="h2"
                counter={list && `(${tokens.length.toLocaleString("en")}${isArriving ? "+" : ""})`}
                description={
                  breakpoint !== "phone" &&
                  "A token lets one IP address call the API. Times of last use are exact to within 5 minutes."
                }
                actions={
                  <SpaceBetween direction="horizontal" size="xs">
                    <Button iconName="refresh" ariaLabel="Refresh" loading={query.isFetching} onClick={refresh} />
                    {inviteButton}
                  </SpaceBetween>
                }
              >
                Tokens
              </Header>
            }
            filter={
              <TableTools
                {...{ view, change, type, finishTyping, tokens, arranged, items, selected, isArriving }}
                hasLeaks={leaks !== undefined}
                refreshedCount={isLongRefresh ? list.arrivedCount : undefined}
                isOrderHeld={isHeld}
                onSort={release}
                onSelect={select}
                onSeveral={setSeveral}
              />
            }
            pagination={
              <Pagination
                currentPageIndex={isPageArriving ? page : shownPage}
                pagesCount={Math.max(pageCount, isPageArriving ? page : 1)}
                openEnd={isArriving}
                onChange={({ detail }) => change({ page: detail.currentPageIndex })}
              />
            }
          />
        </div>
      </SpaceBetween>
      {several && (
        <SeveralDialog
          action={several}
          selected={selected}
          onClose={(finished) => {
            const ids = new Set(finished.map(({ token_id }) => token_id));
            select(selected.filter(({ token_id }) => !ids.has(token_id)));
            setSeveral(undefined);
          }}
        />
      )}
    </div>
  );
};
