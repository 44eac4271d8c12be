import Box from "@cloudscape-design/components/box";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { addresses } from "../../../lambdas/addresses.ts";
import { vCodeLength } from "../../../lambdas/resources/keys/fields.ts";
import { RefreshFailure } from "../../parts/failures.tsx";
import { CursorPagination, NothingHere } from "../../parts/list-table.tsx";
import { usePaging } from "../../parts/routes.ts";
import { useKeys } from "./key-queries.ts";
import { AddButton, type KeyListProps, KeyTable } from "./key-table.tsx";

/** All keys, page by page. */
export const BrowseKeys = (props: KeyListProps) => {
  const { after, page, goTo } = usePaging(addresses.keysAfter);
  const query = useKeys(after);
  const { data, isFetching } = query;
  return (
    <SpaceBetween size="m">
      <RefreshFailure subject="keys" query={query} />
      <KeyTable
        {...props}
        keys={data?.keys ?? []}
        description={`Clients store keys and read them through the API. Each key has a v_code: a secret of ${vCodeLength} characters. The keys always have the same order, which is not alphabetical.`}
        query={query}
        empty={
          <NothingHere title="No keys here">
            <Box color="text-body-secondary">Clients add keys through the API; you can add one too.</Box>
            <AddButton onOpen={props.onOpen} />
          </NothingHere>
        }
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
      />
    </SpaceBetween>
  );
};
