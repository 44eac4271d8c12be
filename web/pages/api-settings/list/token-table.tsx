import { useCollection } from "@cloudscape-design/collection-hooks";
import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import Select from "@cloudscape-design/components/select";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Table from "@cloudscape-design/components/table";
import TextFilter from "@cloudscape-design/components/text-filter";
import { useMemo, useState } from "react";
import type { Token } from "../../../api/types.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import type { OpenDialog } from "../token/open-dialog.ts";
import { useTokenList } from "../token/token-queries.ts";
import { statusNames, statusOf, tokenStatuses } from "../token/token-status.ts";
import { LeaksAlert } from "./leaks-alert.tsx";
import { issuedColumn, tokenColumns } from "./token-columns.tsx";
import { useLeaks } from "./use-leaks.ts";

const anyState = { value: "any", label: "Any state" };
const states = [anyState, ...tokenStatuses.map((value) => ({ value, label: statusNames[value] }))];

/** All tokens: search, sort, turn pages, and the actions on each. */
export const TokenTable = ({ onOpen }: { onOpen: (dialog: OpenDialog) => void }) => {
  const list = useTokenList();
  const leaks = useLeaks();
  const breakpoint = useBreakpoint();
  const [state, setState] = useState<{ value?: string; label?: string }>(anyState);
  const tokens = useMemo(() => [...(list.data?.byId.values() ?? [])], [list.data]);
  const columns = useMemo(
    () => tokenColumns({ breakpoint, leaks: leaks.data, onOpen }),
    [breakpoint, leaks.data, onOpen],
  );
  const issueButton = (
    <Button variant="primary" onClick={() => onOpen({ name: "issue" })}>
      Issue a token
    </Button>
  );

  const { items, actions, filteredItemsCount, collectionProps, filterProps, paginationProps } = useCollection(tokens, {
    filtering: {
      filteringFunction: (token, text) =>
        (state.value === anyState.value || statusOf(token, Date.now()) === state.value) && matches(token, text),
      empty: <Empty action={issueButton} />,
      noMatch: <NoMatch onClear={() => clear()} />,
    },
    sorting: { defaultState: { sortingColumn: issuedColumn, isDescending: true } },
    pagination: { pageSize: 25 },
  });
  const reload = () => {
    list.refetch();
    leaks.refetch();
  };
  const clear = () => {
    actions.setFiltering("");
    setState(anyState);
  };

  return (
    <SpaceBetween size="m">
      <LeaksAlert tokens={tokens} />
      {list.data?.isComplete === false && (
        <Alert type="warning">
          There are more tokens than this table holds. It shows the first {tokens.length.toLocaleString("en")}, in no
          particular order; list the others by invoking the admin function.
        </Alert>
      )}
      <Table
        {...collectionProps}
        items={list.error ? [] : items}
        columnDefinitions={columns}
        trackBy="token_id"
        variant="container"
        wrapLines
        loading={list.isPending}
        loadingText={list.loadedCount > 0 ? `Loading tokens: ${list.loadedCount} so far` : "Loading tokens"}
        empty={
          list.error ? (
            <FailureAlert title="The tokens could not be loaded" failure={list.error} onRetry={list.refetch} />
          ) : (
            collectionProps.empty
          )
        }
        ariaLabels={{ tableLabel: "Tokens" }}
        header={
          <Header
            variant="h1"
            counter={tokens.length > 0 ? `(${tokens.length})` : ""}
            description="A token lets one IP address call the API. The time of last use is exact to within 5 minutes."
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button iconName="refresh" ariaLabel="Refresh" loading={list.isFetching} onClick={reload} />
                {issueButton}
              </SpaceBetween>
            }
          >
            Tokens
          </Header>
        }
        filter={
          <div className="field-row stacks-on-phone">
            <TextFilter
              {...filterProps}
              filteringPlaceholder="Find by comment, address, admin or id"
              filteringAriaLabel="Find tokens"
              countText={`${filteredItemsCount ?? 0} found`}
            />
            <Select
              ariaLabel="State"
              options={states}
              selectedOption={state}
              onChange={({ detail }) => setState(detail.selectedOption)}
            />
          </div>
        }
        pagination={<Pagination {...paginationProps} />}
      />
    </SpaceBetween>
  );
};

const matches = ({ comment, ip, issued_by, token_id }: Token, text: string): boolean =>
  [comment, ip, issued_by, token_id].some((field) => field.toLowerCase().includes(text.trim().toLowerCase()));

const Empty = ({ action }: { action: React.ReactNode }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">No tokens yet</Box>
      <Box color="text-body-secondary">A client needs a token, bound to its own IP address, to call the API.</Box>
      {action}
    </SpaceBetween>
  </Box>
);

const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">No token matches</Box>
      <Button onClick={onClear}>Show all tokens</Button>
    </SpaceBetween>
  </Box>
);
