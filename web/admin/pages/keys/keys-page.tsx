import { Box, SpaceBetween } from "@cloudscape-design/components";
import { useEffect, useMemo, useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import { keyIdLength, vCodeLength } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import { useBreakpoint } from "../../parts/browser.ts";
import { RefreshFailure } from "../../parts/failures.tsx";
import { CursorPagination, ListTable, NothingHere } from "../../parts/list-table.tsx";
import { PageLink, PageTitle } from "../../parts/page.tsx";
import { PrefixForm } from "../../parts/prefix-form.tsx";
import { usePaging, useQueryParameter } from "../../parts/routes.ts";
import { visibleText } from "../../parts/visible-characters.ts";
import { useExactKey, useKeys } from "../../records/key-queries.ts";
import { AddButton, keyColumns } from "./key-columns.tsx";
import { KeyDetails } from "./key-details.tsx";

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
  const others = (data?.keys ?? []).filter(({ key_id }) => key_id !== exact?.key_id);
  const keys = isExactShown ? [exact, ...others] : others;
  const breakpoint = useBreakpoint();
  const columns = useMemo(() => keyColumns(breakpoint), [breakpoint]);
  return (
    <SpaceBetween size="m">
      <RefreshFailure subject="keys" query={query} />
      <ListTable
        title="API key management"
        description={
          prefix === undefined
            ? `Clients store keys and read them through the API. Each key has a v_code: a secret of ${vCodeLength} characters.`
            : "The keys that begin with what you searched for."
        }
        ariaLabels={{ tableLabel: "Keys" }}
        subject="keys"
        query={query}
        actions={<AddButton />}
        items={keys}
        columnDefinitions={columns}
        trackBy="key_id"
        loading={query.isPending && keys.length === 0}
        empty={prefix === undefined ? <NoKeys /> : <NoMatch />}
        filter={
          <PrefixForm
            prefix={prefix}
            name="key_id"
            maxLength={keyIdLength.max}
            subject="keys"
            addressOf={(text) => addresses.keysWith(text === undefined ? {} : { prefix: text })}
          />
        }
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
