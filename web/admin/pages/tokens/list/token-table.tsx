import { Alert, Box, Button, Header, Pagination, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { useBreakpoint } from "../../../parts/browser.ts";
import { useDialogs } from "../../../parts/dialog.tsx";
import { FailureAlert, RefreshFailure } from "../../../parts/failures.tsx";
import { ListTable, NothingHere } from "../../../parts/list-table.tsx";
import { tokenName } from "../../../parts/token-name.tsx";
import type { useTokenList } from "../../../records/token-list.ts";
import { NeedsAttention } from "../attention/needs-attention.tsx";
import { InviteDialog, IssueDialog } from "../dialogs/issue-dialogs.tsx";
import { TrustDialog } from "../trusts/trust-dialogs.tsx";
import { isActive, TrustSection } from "../trusts/trust-section.tsx";
import { comparators, defaultView, expiringView, isFiltered, queryOf, sortColumns, workloadsTab } from "./list-view.ts";
import { SeveralDialog } from "./several-dialog.tsx";
import { TableTools } from "./table-tools.tsx";
import { tokenColumns } from "./token-columns.tsx";
import { type ShownTokens, useShownTokens } from "./use-shown-tokens.ts";

const pageSize = 25;

interface TokenTableProps {
  /** The query of the list's own address. */
  search: string;
  /** False while the page of one token hides the list. */
  isShown: boolean;
}

/** Lists all tokens, with filters, search, sorting, pages, and actions on one or several. */
export const TokenTable = ({ search, isShown }: TokenTableProps) => {
  const { open, isOpen } = useDialogs();
  const section = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const tokens = useShownTokens({ search, isShown, isCovered: isOpen, section });
  const { query, all, found, items, reasons, isAttentionPending, leaks, view, change, isArriving, selected, select } =
    tokens;
  const { data: list } = query;
  const breakpoint = useBreakpoint();
  const isOnPhone = breakpoint === "phone";
  const isOfWorkloads = search === workloadsTab;
  /** Counts how often the admin has asked for new items. */
  const [glance, setGlance] = useState(0);

  const hasClients = tokens.clients.length > 0;
  const columns = useMemo(() => tokenColumns(breakpoint, leaks, hasClients), [breakpoint, leaks, hasClients]);
  const pageCount = Math.max(1, Math.ceil(found.length / pageSize));
  const isPageArriving = isArriving && view.page > pageCount;
  const shownPage = Math.min(view.page, pageCount);
  // The items that need attention are above the rows. The items and the rows appear at the same time, so that nothing moves.
  const isReady = list !== undefined && !isAttentionPending;
  const deselect = (finished: readonly Token[]) => select(selected.filter((token) => !finished.includes(token)));

  const firstSteps = (
    <div className="first-steps">
      <Button fullWidth={isOnPhone} onClick={() => open(<TrustDialog />)}>
        Trust a workload
      </Button>
      <Button fullWidth={isOnPhone} onClick={() => open(<IssueDialog />)}>
        Issue a token
      </Button>
      <Button fullWidth={isOnPhone} variant="primary" onClick={() => open(<InviteDialog />)}>
        Invite a client
      </Button>
    </div>
  );
  return (
    <div ref={section} className="token-list">
      <SpaceBetween size="m">
        <Header
          variant="h1"
          description={!isOnPhone && "A token lets one IP address call the API."}
          // On a phone, it leaves room beside its actions.
          actions={!isOnPhone && firstSteps}
        >
          API settings
        </Header>
        {isOnPhone && firstSteps}
        {!isReady && query.isPending && <StatusIndicator type="loading">Loading tokens</StatusIndicator>}
        {isReady && all.length + items.length > 0 && (
          <NeedsAttention
            key={`${glance} ${isShown}`}
            {...{ items, reasons, isArriving }}
            onShowAll={(attention) => {
              change(attention === "expiring" ? { ...view, ...expiringView } : { ...defaultView, attention });
              table.current?.scrollIntoView();
            }}
          />
        )}
        {list && !query.error && tokens.failures.map((failure) => <FailureAlert key={failure.title} {...failure} />)}
        <ListAlerts query={query} />
        {isReady && <ListTabs tokens={tokens} isOfWorkloads={isOfWorkloads} />}
        {isReady && isOfWorkloads && tokens.trusts && <TrustSection trusts={tokens.trusts} />}
        {(isReady || query.error) && !isOfWorkloads && (
          <div ref={table}>
            <ListTable
              key={tokens.order.generation}
              title="Tokens"
              isTitled={false}
              subject="tokens"
              query={query}
              items={isPageArriving ? [] : found.slice((shownPage - 1) * pageSize, shownPage * pageSize)}
              columnDefinitions={columns}
              trackBy="token_id"
              sortingColumn={{ sortingComparator: comparators[view.sort] }}
              sortingDescending={view.isDescending}
              onSortingChange={({ detail: { sortingColumn, isDescending = false } }) => {
                const sort = sortColumns.find((name) => comparators[name] === sortingColumn.sortingComparator);
                if (sort) change({ sort, isDescending });
              }}
              selectionType="multi"
              selectedItems={selected}
              onSelectionChange={({ detail }) => select(detail.selectedItems)}
              loading={isPageArriving}
              loadingText="Loading this page"
              empty={
                tokens.ofClients.length === 0 && !isFiltered(view) ? (
                  <NoTokens />
                ) : (
                  <NoMatch
                    isArriving={isArriving}
                    onClear={() => change({ ...defaultView, sort: view.sort, isDescending: view.isDescending })}
                  />
                )
              }
              ariaLabels={{
                tableLabel: "Tokens",
                selectionGroupLabel: "Tokens to select",
                allItemsSelectionLabel: () => "Select all tokens on this page",
                itemSelectionLabel: (_, token: Token) => `Select ${tokenName(token)}`,
              }}
              filter={
                <TableTools
                  tokens={tokens}
                  onRefresh={() => {
                    tokens.refetch();
                    setGlance(glance + 1);
                  }}
                  onSeveral={(action) =>
                    open(<SeveralDialog action={action} selected={selected} onFinished={deselect} />)
                  }
                />
              }
              pagination={
                <Pagination
                  currentPageIndex={isPageArriving ? view.page : shownPage}
                  pagesCount={Math.max(pageCount, isPageArriving ? view.page : 1)}
                  openEnd={isArriving}
                  onChange={({ detail }) => change({ page: detail.currentPageIndex })}
                />
              }
            />
          </div>
        )}
      </SpaceBetween>
    </div>
  );
};

/** Leads to the two lists of this page: the tokens of clients, and the trusted workloads. */
const ListTabs = ({ tokens, isOfWorkloads }: { tokens: ShownTokens; isOfWorkloads: boolean }) => {
  const { ofClients, trusts, isArriving, view } = tokens;
  const workloads = [...(trusts?.values() ?? [])].filter(isActive).length;
  const tokenCount = `${ofClients.length.toLocaleString("en")}${isArriving ? "+" : ""}`;
  const current = (isCurrent: boolean) => (isCurrent ? ({ "aria-current": "page" } as const) : {});
  return (
    <nav className="list-tabs" aria-label="Lists">
      <Link className="bar-link" href={addresses.tokens + queryOf(view)} {...current(!isOfWorkloads)}>
        Tokens ({tokenCount})
      </Link>
      <Link className="bar-link" href={addresses.tokens + workloadsTab} {...current(isOfWorkloads)}>
        Trusted workloads ({workloads.toLocaleString("en")})
      </Link>
    </nav>
  );
};

/** Says how the rows may differ from the current tokens. */
const ListAlerts = ({ query }: { query: ReturnType<typeof useTokenList> }) => {
  const { data: list, error, refetch } = query;
  if (!list) return null;
  const count = list.byId.size.toLocaleString("en");
  if (list.missing === "rest") {
    return error && <FailureAlert title={`Only ${count} tokens could be loaded`} failure={error} onRetry={refetch} />;
  }
  return (
    <>
      <RefreshFailure subject="tokens" query={{ ...query, dataUpdatedAt: list.loadedAt }} />
      {list.missing === "beyond limit" && (
        <Alert type="warning">
          There are more tokens than this table holds. It shows the first {count}, in no particular order; list the
          others with the admin command.
        </Alert>
      )}
    </>
  );
};

/** Shown instead of rows if there are no tokens. */
const NoTokens = () => (
  <NothingHere title="No tokens yet">
    <Box color="text-body-secondary">
      A client needs a token to call the API. The token works only from the client's IP address. Invite the client: its
      own machine then gets the token.
    </Box>
  </NothingHere>
);

interface NoMatchProps {
  /** Whether tokens are still loading. */
  isArriving: boolean;
  onClear: () => void;
}

/** Shown instead of rows if no token matches the filters. */
const NoMatch = ({ isArriving, onClear }: NoMatchProps) => (
  <NothingHere title={isArriving ? "No token matches so far" : "No token matches"}>
    {isArriving && <Box color="text-body-secondary">More tokens are being loaded.</Box>}
    <Button onClick={onClear}>Show all tokens</Button>
  </NothingHere>
);
