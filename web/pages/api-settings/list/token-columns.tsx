import ButtonDropdown from "@cloudscape-design/components/button-dropdown";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { TableProps } from "@cloudscape-design/components/table";
import { addresses } from "../../../../lambdas/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { PageLink } from "../../../parts/links.tsx";
import { dayMs, useNow } from "../../../parts/time.ts";
import type { Breakpoint } from "../../../parts/use-breakpoint.ts";
import { Actor, Moment, VisibleText } from "../../../parts/values.tsx";
import { visibleText } from "../../../parts/visible-characters.ts";
import { BoundAddress, TokenName, tokenName } from "../../../tokens/token-name.tsx";
import type { Leaks } from "../attention/attention-items.ts";
import type { OpenDialog } from "../token/open-dialog.ts";
import { StatusBadge } from "../token/status-badge.tsx";
import { expiryOf, isInvited, isLive, isRevocable, statusOf } from "../token/token-status.ts";
import { LeakMark } from "../usage/leak-alert.tsx";
import { comparators } from "./arrange.ts";

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
    header: breakpoint === "desktop" ? "Actions" : <span className="screen-reader-only">Actions</span>,
    width: breakpoint === "desktop" ? 80 : 52,
    cell: (token) => <TokenActions token={token} onOpen={onOpen} />,
  };
  const state: TableProps.ColumnDefinition<Token> = {
    id: "state",
    header: "State",
    minWidth: 150,
    sortingComparator: comparators.state,
    cell: (token) => (
      <>
        <StatusBadge token={token} />
        <LeakMark token={token} leaks={leaks} />
      </>
    ),
  };
  const columns = {
    phone: [{ ...nameAndAddress, width: "80%", cell: (token: Token) => <TokenCard token={token} leaks={leaks} /> }],
    tablet: [nameAndAddress, state, used, expires],
    desktop: [name, address, state, issuer, issued, used, expires],
  };
  return [...columns[breakpoint], actions];
};

const name: TableProps.ColumnDefinition<Token> = {
  id: "comment",
  header: "Comment",
  sortingComparator: comparators.comment,
  isRowHeader: true,
  width: "22%",
  minWidth: 130,
  cell: (token) => (
    <div className="short-text" title={visibleText(token.comment)}>
      <PageLink href={addresses.token(token.token_id)}>
        {token.comment ? <VisibleText text={token.comment} /> : <em>No comment</em>}
      </PageLink>
    </div>
  ),
};

const nameAndAddress: TableProps.ColumnDefinition<Token> = {
  ...name,
  header: "Token",
  minWidth: 100,
  cell: (token) => <NameAndAddress token={token} />,
};

const NameAndAddress = ({ token }: { token: Token }) => (
  <>
    <div className="short-text" title={visibleText(token.comment)}>
      <PageLink href={addresses.token(token.token_id)}>
        <TokenName token={token} />
      </PageLink>
    </div>
    {token.comment && (
      <div className="remark">
        <BoundAddress token={token} />
      </div>
    )}
  </>
);

/** All that a phone has room for. */
const TokenCard = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) => (
  <>
    <NameAndAddress token={token} />
    <StatusBadge token={token} />
    <LeakMark token={token} leaks={leaks} />
  </>
);

const address: TableProps.ColumnDefinition<Token> = {
  id: "ip",
  header: "IP address",
  sortingComparator: comparators.ip,
  minWidth: 150,
  cell: (token) => <BoundAddress token={token} />,
};

const issuer: TableProps.ColumnDefinition<Token> = {
  id: "issuer",
  header: "Issued by",
  minWidth: 150,
  sortingComparator: comparators.issuer,
  cell: ({ issued_by }) => (
    <span className="short-text">
      <Actor name={issued_by} />
    </span>
  ),
};

const issued: TableProps.ColumnDefinition<Token> = {
  id: "issued",
  header: "Issued",
  sortingComparator: comparators.issued,
  cell: ({ issued_at }) => <Moment time={issued_at} />,
};

const used: TableProps.ColumnDefinition<Token> = {
  id: "used",
  header: "Last used",
  sortingComparator: comparators.used,
  cell: ({ last_used_at }) => <Moment time={last_used_at} otherwise="Never" />,
};

const expires: TableProps.ColumnDefinition<Token> = {
  id: "expires",
  header: "Expires",
  minWidth: 135,
  sortingComparator: comparators.expires,
  cell: (token) => <Expiry token={token} />,
};

const warningMs = 7 * dayMs;

/** When a token ends, with a warning in its last days. */
const Expiry = ({ token }: { token: Token }) => {
  const now = useNow();
  const expires_at = expiryOf(token, now);
  if (expires_at === undefined) return "–";
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
  const reason = isInvited(status) ? "The invitation has not been redeemed yet." : "The token has ended.";
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
          disabledReason: status === "rotated" ? "The token was already rotated." : reason,
        },
        { id: "edit", text: "Edit", disabled: !isLive(status), disabledReason: reason },
        { id: "revoke", text: "Revoke", disabled: !isRevocable(status), disabledReason: reason },
      ]}
      onItemClick={({ detail: { id } }) => {
        if (id === "rotate" || id === "edit" || id === "revoke") onOpen({ name: id, token });
      }}
    />
  );
};
