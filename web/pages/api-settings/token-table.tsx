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
import type { Token } from "../../api/token.ts";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { useRoom } from "../../parts/use-room.ts";
import { issuedColumn, tokenColumns } from "./token-columns.tsx";
import type { OpenDialog } from "./token-dialog.tsx";
import { standingNames, standingOf, standings } from "./token-standing.tsx";
import { LeaksAlert } from "./usage/leaks-alert.tsx";
import type { LeakList } from "./usage/use-leaks.ts";
import type { TokenList } from "./use-token-list.ts";

interface TokenTableProps {
  list: TokenList;
  leaks: LeakList;
  onOpen: (dialog: OpenDialog) => void;
}

const anyState = { value: "any", label: "Any state" };
const states = [anyState, ...standings.map((value) => ({ value, label: standingNames[value] }))];

/** All tokens: search, sort, turn pages, and what can be done with one. */
export const TokenTable = ({ list, leaks, onOpen }: TokenTableProps) => {
  const room = useRoom();
  const [state, setState] = useState<{ value?: string; label?: string }>(anyState);
  const columns = useMemo(() => tokenColumns({ room, leaks: leaks.value, onOpen }), [room, leaks.value, onOpen]);
  const issueButton = (
    <Button variant="primary" onClick={() => onOpen({ name: "issue" })}>
      Issue a token
    </Button>
  );

  const { items, actions, filteredItemsCount, collectionProps, filterProps, paginationProps } = useCollection(
    list.tokens,
    {
      filtering: {
        filteringFunction: (token, text) =>
          (state.value === anyState.value || standingOf(token, Date.now()) === state.value) && isFound(token, text),
        empty: <Empty action={issueButton} />,
        noMatch: <NoMatch onClear={() => clear()} />,
      },
      sorting: { defaultState: { sortingColumn: issuedColumn, isDescending: true } },
      pagination: { pageSize: 25 },
    },
  );
  const reload = () => {
    list.reload();
    leaks.reload();
  };
  const clear = () => {
    actions.setFiltering("");
    setState(anyState);
  };

  return (
    <SpaceBetween size="m">
      <LeaksAlert list={leaks} tokens={list.tokens} />
      {!list.isComplete && (
        <Alert type="warning">
          There are more tokens than this table holds. It has the first {list.tokens.length.toLocaleString("en")}, in no
          particular order; list the others by invoking the admin function.
        </Alert>
      )}
      <Table
        {...collectionProps}
        items={list.failure ? [] : items}
        columnDefinitions={columns}
        trackBy="token_id"
        variant="container"
        wrapLines
        loading={list.isLoading && list.tokens.length === 0}
        loadingText={list.loadedCount > 0 ? `Loading tokens: ${list.loadedCount} so far` : "Loading tokens"}
        empty={
          list.failure ? (
            <FailureAlert title="The tokens could not be loaded" failure={list.failure} onRetry={list.reload} />
          ) : (
            collectionProps.empty
          )
        }
        ariaLabels={{ tableLabel: "Tokens" }}
        header={
          <Header
            variant="h1"
            counter={list.tokens.length > 0 ? `(${list.tokens.length})` : ""}
            description="A token lets one IP address call the API. The time of last use is exact to within 5 minutes."
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button iconName="refresh" ariaLabel="Refresh" loading={list.isLoading} onClick={reload} />
                {issueButton}
              </SpaceBetween>
            }
          >
            Tokens
          </Header>
        }
        filter={
          <div className="filters token-filters">
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

const isFound = ({ comment, ip, issued_by, token_id }: Token, text: string): boolean =>
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
