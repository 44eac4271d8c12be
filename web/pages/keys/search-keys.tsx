import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import { useLocation } from "wouter";
import { addresses } from "../../../lambdas/addresses.ts";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { NothingHere } from "../../parts/list-table.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { type KeyListProps, KeyTable } from "./key-table.tsx";
import { SearchProgress } from "./search-progress.tsx";
import { matchesAtOnce, useKeySearch } from "./use-key-search.ts";

const pageSize = 50;

interface SearchKeysProps extends KeyListProps {
  prefix: string;
  isStopped: boolean;
  onStop: (isStopped: boolean) => void;
}

/** The keys that a search for the beginning of their key_id has found. */
export const SearchKeys = ({ prefix, isStopped, onStop, recent, onOpen }: SearchKeysProps) => {
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
        keys={found.slice((page - 1) * pageSize, page * pageSize)}
        recent={recent}
        prefix={prefix}
        progress={<SearchProgress search={search} isSearching={isSearching} onStop={stop} onGoOn={goOn} />}
        description="The keys whose key_id begins with what you searched for, in alphabetical order."
        isLoading={isSearching}
        loadingText="Searching"
        empty={
          isComplete ? (
            <NoMatch prefix={prefix} onShowAll={() => navigate(addresses.keys)} />
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
        onOpen={onOpen}
      />
    </SpaceBetween>
  );
};

const NoMatch = ({ prefix, onShowAll }: { prefix: string; onShowAll: () => void }) => (
  <NothingHere title="There is no such key">
    <span className="breakable">
      No key_id is or begins with “
      <VisibleText text={prefix} />
      ”. Check the spelling: a key_id is case-sensitive.
    </span>
    <Button onClick={onShowAll}>Show all keys</Button>
  </NothingHere>
);
