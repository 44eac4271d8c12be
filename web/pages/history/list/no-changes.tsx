import { addresses } from "../../../../lambdas/addresses.ts";
import type { ApiFailure } from "../../../api/api-failure.ts";
import { FailureAlert } from "../../../parts/failure-alert.tsx";
import { NothingHere } from "../../../parts/list-table.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { type HistoryFilters, isFiltered } from "./history-filters.ts";

interface NoChangesProps {
  filters: HistoryFilters;
  failure: ApiFailure | null;
  onRetry: () => void;
}

/** In place of the rows when there is no change to show. */
export const NoChanges = ({ filters, failure, onRetry }: NoChangesProps) => {
  if (failure?.fields.cursor) {
    return (
      <NothingHere title="This page of the history does not exist">
        <PageLink href={addresses.history}>Show the newest changes</PageLink>
      </NothingHere>
    );
  }
  if (failure) return <FailureAlert title="The changes could not be loaded" failure={failure} onRetry={onRetry} />;
  if (!isFiltered(filters)) {
    return (
      <NothingHere title="No changes yet">Changes made before the service kept a history are not shown.</NothingHere>
    );
  }
  return (
    <NothingHere title="No changes match">
      {filters.person !== undefined && "Enter the complete name of a person, as the history shows it. "}
      <PageLink href={addresses.history}>Show all changes</PageLink>
    </NothingHere>
  );
};
