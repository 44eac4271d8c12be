import Box from "@cloudscape-design/components/box";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { addresses } from "../../../lambdas/addresses.ts";
import { vCodeLength } from "../../../lambdas/resources/keys/fields.ts";
import { FailureAlert } from "../../parts/failure-alert.tsx";
import { RefreshFailure } from "../../parts/refresh-failure.tsx";
import { usePaging } from "../../parts/use-paging.ts";
import { useKeys } from "./key-queries.ts";
import { AddButton, type KeyListProps, KeyTable } from "./key-table.tsx";

/** All keys, page by page. */
export const BrowseKeys = ({ recent, onOpen }: KeyListProps) => {
  const { after, page, goTo } = usePaging(addresses.keysAfter);
  const { data, dataUpdatedAt, error, isPending, isFetching, refetch } = useKeys(after);
  const nextCursor = data?.next_cursor ?? null;
  const hasNext = nextCursor !== null;
  return (
    <SpaceBetween size="m">
      {error && data && (
        <RefreshFailure
          title="The keys could not be refreshed"
          failure={error}
          loadedAt={dataUpdatedAt}
          onRetry={refetch}
        />
      )}
      <KeyTable
        keys={data?.keys ?? []}
        recent={recent}
        description={`Clients store keys and read them through the API. Each key has a v_code: a secret of ${vCodeLength} characters. The keys always have the same order, which is not alphabetical.`}
        isLoading={isPending}
        loadingText="Loading keys"
        empty={
          error ? (
            <FailureAlert title="The keys could not be loaded" failure={error} onRetry={refetch} />
          ) : (
            <NoKeys>
              <AddButton onOpen={onOpen} />
            </NoKeys>
          )
        }
        refresh={{ isFetching, onRefresh: refetch }}
        pagination={
          <Pagination
            currentPageIndex={page}
            pagesCount={page + (hasNext ? 1 : 0)}
            openEnd={hasNext}
            disabled={isFetching}
            onChange={({ detail }) => goTo(detail.currentPageIndex, nextCursor)}
          />
        }
        onOpen={onOpen}
      />
    </SpaceBetween>
  );
};

const NoKeys = ({ children }: { children: React.ReactNode }) => (
  <Box textAlign="center" padding={{ vertical: "l" }}>
    <SpaceBetween size="s">
      <Box variant="strong">No keys here</Box>
      <Box color="text-body-secondary">Clients add keys through the API; you can add one too.</Box>
      {children}
    </SpaceBetween>
  </Box>
);
