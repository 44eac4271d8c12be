import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Table from "@cloudscape-design/components/table";
import { useMemo } from "react";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { useRoom } from "../../parts/use-room.ts";
import { FindKey } from "./find-key.tsx";
import { keyColumns } from "./key-columns.tsx";
import type { OpenDialog } from "./key-dialog.tsx";
import type { KeyPageView } from "./use-key-page.ts";

interface KeyTableProps {
  page: KeyPageView;
  onOpen: (dialog: OpenDialog) => void;
  onFind: (keyId: string) => void;
}

/** A page of keys, and what can be done with one. */
export const KeyTable = ({ page, onOpen, onFind }: KeyTableProps) => {
  const room = useRoom();
  const columns = useMemo(() => keyColumns({ room, onOpen }), [room, onOpen]);
  const addButton = (
    <Button variant="primary" onClick={() => onOpen({ name: "add" })}>
      Add a key
    </Button>
  );
  return (
    <Table
      items={page.keys}
      columnDefinitions={columns}
      trackBy="key_id"
      wrapLines
      loading={page.isLoading && page.keys.length === 0}
      loadingText="Loading keys"
      empty={
        page.failure ? (
          <FailureAlert title="The keys could not be loaded" failure={page.failure} onRetry={page.reload} />
        ) : (
          <Empty action={addButton} />
        )
      }
      ariaLabels={{ tableLabel: "Keys" }}
      header={
        <Header
          variant="h1"
          description="A key is a name with a v_code, a secret of 64 characters, that clients store and read through the API. In no particular order."
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button iconName="refresh" ariaLabel="Refresh" loading={page.isLoading} onClick={page.reload} />
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
          currentPageIndex={page.page}
          pagesCount={page.page + (page.hasNext ? 1 : 0)}
          openEnd={page.hasNext}
          disabled={page.isLoading}
          onChange={({ detail }) => page.goTo(detail.currentPageIndex)}
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
