import { Box, SpaceBetween } from "@cloudscape-design/components";
import { useEffect, useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import { vCodeLength } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import { RefreshFailure } from "../../parts/failures.tsx";
import { CursorPagination, NothingHere } from "../../parts/list-table.tsx";
import { PageLink, PageTitle } from "../../parts/page.tsx";
import { usePaging, useQueryParameter } from "../../parts/routes.ts";
import { visibleText } from "../../parts/visible-characters.ts";
import { useExactKey, useKeys } from "../../records/key-queries.ts";
import { KeyDetails } from "./key-details.tsx";
import { AddButton, KeyTable } from "./key-table.tsx";

/** Shows the API's keys: page by page, all or those that a search finds, or the key in the address. */
export const KeysPage = () => {
  const keyId = useQueryParameter("key");
  const prefix = useQueryParameter("prefix") || undefined;
  const search = useSearch();
  const [lastList, setLastList] = useState<string>(addresses.keys);
  useEffect(() => {
    if (keyId === undefined) setLastList(addresses.keys + search);
  }, [keyId, search]);
  const subject = keyId ?? prefix;
  return (
    <>
      <PageTitle parts={[...(subject === undefined ? [] : [visibleText(subject)]), "API key management"]} />
      {keyId === undefined ? (
        <KeyList key={prefix} prefix={prefix} />
      ) : (
        <KeyDetails key={keyId} keyId={keyId} listAddress={lastList} />
      )}
    </>
  );
};

/** Lists keys, page by page. The key with exactly the search text comes first, even while the search still runs. */
const KeyList = ({ prefix }: { prefix: string | undefined }) => {
  const { after, page, goTo } = usePaging((cursor) =>
    addresses.keysWith({ ...(prefix !== undefined && { prefix }), ...(cursor !== undefined && { after: cursor }) }),
  );
  const query = useKeys(prefix, after);
  const { data: exact } = useExactKey(prefix);
  const { data, isFetching } = query;
  const isExactShown = exact !== undefined && after === undefined;
  const others = (data?.keys ?? []).filter(({ key_id }) => key_id !== prefix);
  return (
    <SpaceBetween size="m">
      <RefreshFailure subject="keys" query={query} />
      <KeyTable
        keys={isExactShown ? [exact, ...others] : others}
        prefix={prefix}
        query={query}
        description={
          prefix === undefined
            ? `Clients store keys and read them through the API. Each key has a v_code: a secret of ${vCodeLength} characters.`
            : "The keys that begin with what you searched for."
        }
        empty={prefix === undefined ? <NoKeys /> : <NoMatch />}
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
      />
    </SpaceBetween>
  );
};

const NoKeys = () => (
  <NothingHere title="No keys here">
    <Box color="text-body-secondary">Clients add keys through the API; you can add one too.</Box>
    <AddButton />
  </NothingHere>
);

const NoMatch = () => (
  <NothingHere title="There is no such key">
    Check the spelling. The search is case-sensitive.
    <PageLink href={addresses.keys}>Show all keys</PageLink>
  </NothingHere>
);
