import ButtonDropdown from "@cloudscape-design/components/button-dropdown";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { TableProps } from "@cloudscape-design/components/table";
import type { Token } from "../../../api/types.ts";
import { Actor } from "../../../parts/actor.tsx";
import { Address } from "../../../parts/address.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { PageLink } from "../../../parts/page-link.tsx";
import { addresses } from "../../../parts/routes.ts";
import { useNow } from "../../../parts/time.ts";
import type { Breakpoint } from "../../../parts/use-breakpoint.ts";
import { VisibleText } from "../../../parts/visible-text.tsx";
import type { OpenDialog } from "../token/open-dialog.ts";
import { StatusBadge } from "../token/status-badge.tsx";
import { TokenName, tokenName } from "../token/token-name.tsx";
import { isLive, statusOf } from "../token/token-status.ts";
import { LeakMark } from "./leak-mark.tsx";
import type { Leaks } from "./use-leaks.ts";

interface TokenColumnsOptions {
  /** Narrow windows leave out what the details show as well. */
  breakpoint: Breakpoint;
  leaks: Leaks | undefined;
  onOpen: (dialog: OpenDialog) => void;
}

export const tokenColumns = ({
  breakpoint,
  leaks,
  onOpen,
}: TokenColumnsOptions): TableProps.ColumnDefinition<Token>[] => {
  const actions: TableProps.ColumnDefinition<Token> = {
    id: "actions",
    header: "Actions",
    width: 80,
    cell: (token) => <TokenActions token={token} onOpen={onOpen} />,
  };
  const state: TableProps.ColumnDefinition<Token> = {
    id: "state",
    header: "State",
    sortingComparator: (one, other) => byStatus(one) - byStatus(other),
    cell: (token) => (
      <>
        <StatusBadge token={token} />
        <LeakMark token={token} leaks={leaks} />
      </>
    ),
  };
  const columns = {
    phone: [nameAndAddress, state],
    tablet: [nameAndAddress, state, ...times],
    desktop: [name, address, state, issuer, ...times],
  };
  return [...columns[breakpoint], actions];
};

const name: TableProps.ColumnDefinition<Token> = {
  id: "comment",
  header: "Comment",
  sortingComparator: (one, other) => one.comment.localeCompare(other.comment),
  isRowHeader: true,
  minWidth: 130,
  cell: (token) => (
    <PageLink href={addresses.token(token.token_id)}>
      {token.comment ? <VisibleText text={token.comment} /> : <em>No comment</em>}
    </PageLink>
  ),
};

const nameAndAddress: TableProps.ColumnDefinition<Token> = {
  ...name,
  header: "Token",
  minWidth: 110,
  cell: (token) => (
    <>
      <PageLink href={addresses.token(token.token_id)}>
        <TokenName token={token} />
      </PageLink>
      {token.comment && (
        <div className="remark">
          <Address ip={token.ip} />
        </div>
      )}
    </>
  ),
};

const address: TableProps.ColumnDefinition<Token> = {
  id: "ip",
  header: "IP address",
  sortingComparator: (one, other) => one.ip.localeCompare(other.ip, "en", { numeric: true }),
  minWidth: 150,
  cell: ({ ip }) => <Address ip={ip} />,
};

const order = { active: 0, rotated: 1, expired: 2, revoked: 3 };
const byStatus = (token: Token): number => order[statusOf(token, Date.now())];

/** Times sort as text; `absent` stands in for a time that is null. */
const byTime =
  (field: "issued_at" | "last_used_at" | "expires_at", absent: string) =>
  (one: Token, other: Token): number =>
    (one[field] ?? absent).localeCompare(other[field] ?? absent);

export const issuedColumn: TableProps.ColumnDefinition<Token> = {
  id: "issued_at",
  header: "Issued",
  sortingComparator: byTime("issued_at", ""),
  cell: ({ issued_at }) => <Moment time={issued_at} />,
};

const issuer: TableProps.ColumnDefinition<Token> = {
  id: "issued_by",
  header: "Issued by",
  sortingField: "issued_by",
  cell: ({ issued_by }) => <Actor name={issued_by} />,
};

const times: TableProps.ColumnDefinition<Token>[] = [
  issuedColumn,
  {
    id: "last_used_at",
    header: "Last used",
    sortingComparator: byTime("last_used_at", ""),
    cell: ({ last_used_at }) => <Moment time={last_used_at} otherwise="Never" />,
  },
  {
    id: "expires_at",
    header: "Expires",
    sortingComparator: byTime("expires_at", "9999"),
    cell: (token) => <Expiry token={token} />,
  },
];

const warningMs = 7 * 86_400_000;

/** When a token ends, with a warning in its last days. */
const Expiry = ({ token }: { token: Token }) => {
  const now = useNow();
  const { expires_at } = token;
  if (token.state === "revoked") return "–";
  if (expires_at === null) return "Never";
  const isClose = statusOf(token, now) === "active" && Date.parse(expires_at) - now < warningMs;
  if (!isClose) return <Moment time={expires_at} />;
  return (
    <StatusIndicator type="warning" iconAriaLabel="Soon">
      <Moment time={expires_at} />
    </StatusIndicator>
  );
};

const TokenActions = ({ token, onOpen }: { token: Token } & Pick<TokenColumnsOptions, "onOpen">) => {
  const status = statusOf(token, useNow());
  const hasEnded = !isLive(status);
  return (
    <ButtonDropdown
      variant="inline-icon"
      ariaLabel={`Actions on ${tokenName(token)}`}
      expandToViewport
      items={[
        {
          id: "rotate",
          text: "Rotate",
          disabled: status !== "active",
          disabledReason: hasEnded ? "The token has ended." : "The token was already rotated.",
        },
        { id: "limit", text: "Edit limit", disabled: hasEnded, disabledReason: "The token has ended." },
        { id: "revoke", text: "Revoke", disabled: hasEnded, disabledReason: "The token has ended." },
      ]}
      onItemClick={({ detail: { id } }) => {
        if (id === "rotate" || id === "limit" || id === "revoke") onOpen({ name: id, token });
      }}
    />
  );
};
