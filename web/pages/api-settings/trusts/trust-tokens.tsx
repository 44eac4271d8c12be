import { Button, type TableProps } from "@cloudscape-design/components";
import { useQuery } from "@tanstack/react-query";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Token, Trust } from "../../../api/types.ts";
import { PageLink } from "../../../parts/links.tsx";
import { SmallTable } from "../../../parts/list-table.tsx";
import { useNow } from "../../../parts/time.ts";
import { Moment } from "../../../parts/values.tsx";
import { listKey, type TokenList } from "../../../tokens/token-list.ts";
import { BoundAddress } from "../../../tokens/token-name.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isLive, statusOf } from "../token/token-status.ts";

/** The tokens of a trusted workload that work, as far as they have been loaded; the newest first. */
export const useLiveTokens = ({ trust_id }: Trust): Token[] => {
  const { data: list } = useQuery<TokenList>({ queryKey: listKey, enabled: false });
  const now = useNow();
  return [...(list?.byId.values() ?? [])]
    .filter((token) => token.trust_id === trust_id && isLive(statusOf(token, now)))
    .toSorted((one, other) => other.issued_at.localeCompare(one.issued_at));
};

/** The tokens that a workload can use now. */
export const TrustTokens = ({ trust }: { trust: Trust }) => (
  <SmallTable
    title="Its tokens"
    items={useLiveTokens(trust)}
    trackBy="token_id"
    pageSize={10}
    columns={[address, issued, used, expires, actions]}
    phoneColumns={[address, expires, actions]}
  />
);

type Column = TableProps.ColumnDefinition<Token>;

const address: Column = {
  id: "ip",
  header: "IP address",
  isRowHeader: true,
  cell: (token) => (
    <PageLink href={addresses.token(token.token_id)}>
      <BoundAddress token={token} />
    </PageLink>
  ),
};

const issued: Column = { id: "issued", header: "Issued", cell: ({ issued_at }) => <Moment time={issued_at} /> };
const expires: Column = { id: "expires", header: "Expires", cell: ({ expires_at }) => <Moment time={expires_at} /> };
const used: Column = {
  id: "used",
  header: "Last used",
  cell: ({ last_used_at }) => <Moment time={last_used_at} otherwise="Never" />,
};

const RevokeButton = ({ token }: { token: Token }) => {
  const open = useOpenDialog();
  return (
    <Button
      variant="inline-link"
      ariaLabel={`Revoke the token of ${token.ip}`}
      onClick={() => open({ name: "revoke", token })}
    >
      Revoke
    </Button>
  );
};

const actions: Column = { id: "actions", header: "Actions", cell: (token) => <RevokeButton token={token} /> };
