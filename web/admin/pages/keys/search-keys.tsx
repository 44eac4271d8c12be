import { Box, Button, LiveRegion, Pagination, SpaceBetween, StatusIndicator } from "@cloudscape-design/components";
import { useState } from "react";
import { useLocation } from "wouter";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import { FailureAlert } from "../../parts/failures.tsx";
import { useFocusAfterwards } from "../../parts/focus.ts";
import { NothingHere } from "../../parts/list-table.tsx";
import { matchesAtOnce, useKeySearch } from "../../records/key-queries.ts";
import { type KeyListProps, KeyTable } from "./key-table.tsx";

const pageSize = 50;

interface SearchKeysProps extends KeyListProps {
  prefix: string;
  isStopped: boolean;
  onStop: (isStopped: boolean) => void;
}

/** Lists the keys whose key_id begins with a prefix. */
export const SearchKeys = ({ prefix, isStopped, onStop, ...props }: SearchKeysProps) => {
  const [, navigate] = useLocation();
  const [wanted, setWanted] = useState(matchesAtOnce);
  const [page, setPage] = useState(1);
  const search = useKeySearch(prefix, { isStopped, wanted });
  const { found, isComplete, isPaused, failure, cancel, retry } = search;
  const isSearching = !isComplete && !isPaused && !failure;

  const stop = () => {
    onStop(true);
    cancel();
  };
  const goOn = () => {
    setWanted(found.length + matchesAtOnce);
    onStop(false);
  };
  return (
    <SpaceBetween size="m">
      {failure && <FailureAlert title="The search was interrupted" failure={failure} onRetry={retry} />}
      <KeyTable
        {...props}
        keys={found.slice((page - 1) * pageSize, page * pageSize)}
        prefix={prefix}
        progress={<SearchProgress search={search} isSearching={isSearching} onStop={stop} onGoOn={goOn} />}
        description="The keys that begin with what you searched for, in alphabetical order."
        loading={isSearching}
        loadingText="Searching"
        empty={
          isComplete ? (
            <NoMatch onShowAll={() => navigate(addresses.keys)} />
          ) : (
            <Box textAlign="center">Nothing found so far</Box>
          )
        }
        pagination={
          <Pagination
            currentPageIndex={page}
            pagesCount={Math.max(1, Math.ceil(found.length / pageSize))}
            onChange={({ detail }) => setPage(detail.currentPageIndex)}
          />
        }
      />
    </SpaceBetween>
  );
};

const NoMatch = ({ onShowAll }: { onShowAll: () => void }) => (
  <NothingHere title="There is no such key">
    Check the spelling. The search is case-sensitive.
    <Button onClick={onShowAll}>Show all keys</Button>
  </NothingHere>
);

interface SearchProgressProps {
  search: ReturnType<typeof useKeySearch>;
  isSearching: boolean;
  onStop: () => void;
  onGoOn: () => void;
}

const count = (value: number): string => value.toLocaleString("en");

const outcomeOf = (found: number, examined: number): string => {
  if (found === 0) return "No key begins with this.";
  return `${count(found)} of ${count(examined)} keys ${found === 1 ? "begins" : "begin"} with this.`;
};

/** Shows a search's progress, with a button to stop or continue it. */
const SearchProgress = ({ search, isSearching, onStop, onGoOn }: SearchProgressProps) => {
  const { found, examined, isComplete, isPaused } = search;
  const progress = isComplete
    ? outcomeOf(found.length, examined)
    : `Searched ${count(examined)} keys so far, found ${count(found.length)}`;
  return (
    <div className="search-progress row">
      <LiveRegion>
        {isComplete ? (
          progress
        ) : (
          <StatusIndicator type={isSearching ? "loading" : "stopped"}>{progress}</StatusIndicator>
        )}
      </LiveRegion>
      {!isComplete && (isSearching || isPaused) && <StopButton {...{ isSearching, onStop, onGoOn }} />}
    </div>
  );
};

/** One button serves for stop and continue, so that it keeps the focus. */
const StopButton = ({ isSearching, onStop, onGoOn }: Omit<SearchProgressProps, "search">) => {
  useFocusAfterwards();
  return <Button onClick={isSearching ? onStop : onGoOn}>{isSearching ? "Stop" : "Continue"}</Button>;
};
