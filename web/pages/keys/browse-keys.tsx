import Box from "@cloudscape-design/components/box";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { addresses } from "../../../lambdas/addresses.ts";
import { vCodeLength } from "../../../lambdas/resources/keys/fields.ts";
import { FailureAlert, RefreshFailure } from "../../parts/failures.tsx";
import { CursorPagination, NothingHere } from "../../parts/list-table.tsx";
import { usePaging } from "../../parts/routes.ts";
import { useKeys } from "./key-queries.ts";
import { AddButton, type KeyListProps, KeyTable } from "./key-table.tsx";

/** All keys, page by page. */
export const BrowseKeys = ({ recent, onOpen }: KeyListProps) => {
  const { after, page, goTo } = usePaging(addresses.keysAfter);
  const { data, dataUpdatedAt, error, isPending, isFetching, refetch } = useKeys(after);
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
            <NothingHere title="No keys here">
              <Box color="text-body-secondary">Clients add keys through the API; you can add one too.</Box>
              <AddButton onOpen={onOpen} />
            </NothingHere>
          )
        }
        refresh={{ isFetching, onRefresh: refetch }}
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
        onOpen={onOpen}
      />
    </SpaceBetween>
  );
};
