import Button from "@cloudscape-design/components/button";
import { type ReactNode, useMemo } from "react";
import type { ListedKey } from "../../api/types.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { useBreakpoint } from "../../parts/use-breakpoint.ts";
import { keyColumns } from "./key-columns.tsx";
import { KeySearchForm } from "./key-search-form.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { type RecentKeys, withRecent } from "./recent-keys.ts";

export interface KeyListProps {
  /** Marked, and at the top if they are new. */
  recent: RecentKeys;
  onOpen: (dialog: OpenDialog) => void;
}

interface KeyTableProps extends KeyListProps {
  keys: ListedKey[];
  prefix?: string;
  /** How far the search has come. */
  progress?: ReactNode;
  description: string;
  isLoading: boolean;
  loadingText: string;
  empty: ReactNode;
  /** Left out while a search is the way to get new results. */
  refresh?: { isFetching: boolean; onRefresh: () => void };
  pagination: ReactNode;
}

/** A table of keys, with the actions on each. */
export const KeyTable = (props: KeyTableProps) => {
  const { keys, recent, prefix, progress, description, isLoading, loadingText, empty, refresh, pagination, onOpen } =
    props;
  const breakpoint = useBreakpoint();
  const columns = useMemo(() => keyColumns({ breakpoint, recent, onOpen }), [breakpoint, recent, onOpen]);
  const items = withRecent(keys, recent);
  return (
    <ListTable
      title="Keys"
      description={description}
      {...(refresh && { refresh })}
      actions={<AddButton onOpen={onOpen} />}
      items={items}
      columnDefinitions={columns}
      trackBy="key_id"
      loading={isLoading && items.length === 0}
      loadingText={loadingText}
      empty={empty}
      filter={
        <KeySearchForm key={prefix} prefix={prefix}>
          {progress}
        </KeySearchForm>
      }
      pagination={pagination}
    />
  );
};

export const AddButton = ({ onOpen }: Pick<KeyListProps, "onOpen">) => (
  <Button variant="primary" onClick={() => onOpen({ name: "add" })}>
    Add a key
  </Button>
);
