import { Box, SpaceBetween } from "@cloudscape-design/components";
import { useEffect, useState } from "react";
import { useSearch } from "wouter/use-browser-location";
import { vCodeLength } from "../../../../lambdas/domain/keys/key-fields.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import { useApp } from "../../parts/app-context.tsx";
import { RefreshFailure } from "../../parts/failures.tsx";
import { CursorPagination, NothingHere } from "../../parts/list-table.tsx";
import { PageTitle } from "../../parts/page.tsx";
import { usePaging, useQueryParameter } from "../../parts/routes.ts";
import { visibleText } from "../../parts/visible-characters.ts";
import { useKeys } from "../../records/key-queries.ts";
import { KeyDetails } from "./key-details.tsx";
import type { KeyChange } from "./key-dialogs.tsx";
import { AddButton, type KeyListProps, KeyTable, messageOf, noRecentKeys, withChange } from "./key-table.tsx";
import { SearchKeys } from "./search-keys.tsx";

/** Shows the API's keys: page by page, as search results, or the key in the address. */
export const KeysPage = () => {
  const keyId = useQueryParameter("key");
  const prefix = useQueryParameter("prefix") || undefined;
  const search = useSearch();
  const [stoppedPrefix, setStoppedPrefix] = useState<string>();
  const [lastList, setLastList] = useState<string>(addresses.keys);
  useEffect(() => {
    if (keyId === undefined) setLastList(addresses.keys + search);
  }, [keyId, search]);
  const subject = keyId ?? prefix;
  return (
    <>
      <PageTitle parts={[...(subject === undefined ? [] : [visibleText(subject)]), "API key management"]} />
      {keyId === undefined ? (
        <AllKeys
          prefix={prefix}
          isStopped={prefix === stoppedPrefix}
          onStop={(isStopped) => setStoppedPrefix(isStopped ? prefix : undefined)}
        />
      ) : (
        <KeyDetails key={keyId} keyId={keyId} listAddress={lastList} />
      )}
    </>
  );
};

interface AllKeysProps {
  prefix: string | undefined;
  isStopped: boolean;
  onStop: (isStopped: boolean) => void;
}

const AllKeys = ({ prefix, isStopped, onStop }: AllKeysProps) => {
  const { notify } = useApp();
  const search = useSearch();
  const [last, setLast] = useState({ recent: noRecentKeys, search });
  // Other pages of keys don't show the recent changes again.
  const recent = last.search === search ? last.recent : noRecentKeys;

  const onDone = (change: KeyChange) => {
    setLast({ recent: withChange(recent, change), search });
    if (change.name === "deleted") notify(messageOf(change));
    else notify(messageOf(change), { href: addresses.key(change.key.key_id), text: "Show the key" });
  };
  if (prefix === undefined) return <BrowseKeys recent={recent} onDone={onDone} />;
  return <SearchKeys key={prefix} {...{ prefix, isStopped, onStop, recent, onDone }} />;
};

/** Lists all keys, page by page. */
const BrowseKeys = (props: KeyListProps) => {
  const { after, page, goTo } = usePaging(addresses.keysAfter);
  const query = useKeys(after);
  const { data, isFetching } = query;
  return (
    <SpaceBetween size="m">
      <RefreshFailure subject="keys" query={query} />
      <KeyTable
        {...props}
        keys={data?.keys ?? []}
        description={`Clients store keys and read them through the API. Each key has a v_code: a secret of ${vCodeLength} characters.`}
        query={query}
        empty={
          <NothingHere title="No keys here">
            <Box color="text-body-secondary">Clients add keys through the API; you can add one too.</Box>
            <AddButton onDone={props.onDone} />
          </NothingHere>
        }
        pagination={<CursorPagination {...{ page, goTo, isFetching }} nextCursor={data?.next_cursor} />}
      />
    </SpaceBetween>
  );
};
