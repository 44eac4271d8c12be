import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Table from "@cloudscape-design/components/table";
import { useMemo } from "react";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { useBreakpoint } from "../../parts/use-breakpoint.ts";
import { FindKey } from "./find-key.tsx";
import { keyColumns } from "./key-columns.tsx";
import { useKeys } from "./key-queries.ts";
import type { OpenDialog } from "./open-dialog.ts";
import { usePaging } from "./use-paging.ts";

interface KeyTableProps {
  onOpen: (dialog: OpenDialog) => void;
  onFind: (keyId: string) => void;
}

/** A page of keys, and the actions on each. */
export const KeyTable = ({ onOpen, onFind }: KeyTableProps) => {
  const { after, page, goTo } = usePaging();
  const { data, error, isPending, isFetching, refetch } = useKeys(after);
  const breakpoint = useBreakpoint();
  const columns = useMemo(() => keyColumns({ breakpoint, onOpen }), [breakpoint, onOpen]);
  const nextCursor = data?.next_cursor ?? null;
  const hasNext = nextCursor !== null;
  const addButton = (
    <Button variant="primary" onClick={() => onOpen({ name: "add" })}>
      Add a key
    </Button>
  );
  return (
    <Table
      items={error ? [] : (data?.keys ?? [])}
      columnDefinitions={columns}
      trackBy="key_id"
      wrapLines
      loading={isPending}
      loadingText="Loading keys"
      empty={
        error ? (
          <FailureAlert title="The keys could not be loaded" failure={error} onRetry={refetch} />
        ) : (
          <Empty action={addButton} />
        )
      }
      ariaLabels={{ tableLabel: "Keys" }}
      header={
        <Header
          variant="h1"
          description="A key is a name with a v_code, a secret of 64 characters, that clients store and read through the API. Listed in no particular order."
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button iconName="refresh" ariaLabel="Refresh" loading={isFetching} onClick={() => refetch()} />
              {addButton}
            </SpaceBetween>
          }
        >
          Keys
        </Header>
      }
      filter={<FindKey onFind={onFind} />}
      pagination={
        <Pagination
          currentPageIndex={page}
          pagesCount={page + (hasNext ? 1 : 0)}
          openEnd={hasNext}
          disabled={isFetching}
          onChange={({ detail }) => goTo(detail.currentPageIndex, nextCursor)}
        />
      }
    />
  );
};

const Empty = ({ action }: { action: React.ReactNode }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">No keys here</Box>
      <Box color="text-body-secondary">Clients add keys through the API; you can add one too.</Box>
      {action}
    </SpaceBetween>
  </Box>
);
