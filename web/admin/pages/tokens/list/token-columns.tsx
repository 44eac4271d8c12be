import { ButtonDropdown, StatusIndicator, type TableProps } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Token } from "../../../api/types.ts";
import type { Breakpoint } from "../../../parts/browser.ts";
import { dangerItem } from "../../../parts/danger-button.tsx";
import { useDialogs } from "../../../parts/dialog.tsx";
import { PageLink } from "../../../parts/page.tsx";
import { dayMs, useNow } from "../../../parts/time.ts";
import { BoundAddress, TokenName, tokenName } from "../../../parts/token-name.tsx";
import { Moment, OneLine } from "../../../parts/values.tsx";
import { RevokeDialog } from "../dialogs/confirm-dialogs.tsx";
import { EditDialog } from "../dialogs/edit-dialog.tsx";
import { InviteDialog, RotateDialog } from "../dialogs/issue-dialogs.tsx";
import { StatusName } from "../token/status-badge.tsx";
import { expiryOf, isInvited, isLive, isRevocable, statusOf } from "../token/token-status.ts";
import { harmfulLeaks, type Leaks } from "../usage/leaks.ts";
import { LeakMark } from "../usage/usage-alerts.tsx";
import { comparators, type SortColumn, sortColumns } from "./list-view.ts";

type Column = Omit<TableProps.ColumnDefinition<Token>, "id">;

/** Returns the table's columns. Narrow windows leave out columns that the details page also shows. */
export const tokenColumns = (
  breakpoint: Breakpoint,
  leaks: Leaks | undefined,
  hasClients: boolean,
): TableProps.ColumnDefinition<Token>[] => {
  const { comment, client, ip, issued, used, expires } = columns;
  const state: Column = {
    header: "State",
    minWidth: 175,
    cell: (token) => <State token={token} leaks={leaks} />,
  };
  const named: Column = {
    ...comment,
    cell: (token) => (
      <>
        <NameLink token={token} />
        <div>{<State token={token} leaks={leaks} />}</div>
      </>
    ),
  };
  const shown: Partial<Record<SortColumn, Column>> = {
    phone: { comment: named },
    tablet: { comment, state, expires },
    desktop: { comment, ...(hasClients && { client }), ip, state, issued, used, expires },
  }[breakpoint];
  const sortable = sortColumns.flatMap((id) => {
    const column = shown[id];
    return column ? [{ ...column, id, sortingComparator: comparators[id] }] : [];
  });
  const actions: TableProps.ColumnDefinition<Token> = {
    id: "actions",
    header: <span className="screen-reader-only">Actions</span>,
    width: 52,
    cell: (token) => <TokenActions token={token} />,
  };
  return [...sortable, actions];
};

const NameLink = ({ token }: { token: Token }) => (
  <PageLink href={addresses.token(token.token_id)}>
    <OneLine text={tokenName(token)}>
      <TokenName token={token} />
    </OneLine>
  </PageLink>
);

/** Shows the state of a token, or instead that it has leaked. */
const State = ({ token, leaks }: { token: Token; leaks: Leaks | undefined }) =>
  harmfulLeaks(leaks, [token], useNow()).length > 0 ? <LeakMark token={token} /> : <StatusName token={token} />;

const columns = {
  comment: {
    header: "Name",
    isRowHeader: true,
    // Takes the width that the other columns leave.
    width: "100%",
    minWidth: 130,
    cell: (token) => <NameLink token={token} />,
  },
  client: { header: "Client", minWidth: 90, cell: ({ client }) => client !== null && <OneLine text={client} /> },
  ip: { header: "IP address", minWidth: 250, cell: (token) => <BoundAddress token={token} /> },
  issued: { header: "Issued", cell: ({ issued_at }) => <Moment time={issued_at} /> },
  used: {
    header: "Last used",
    minWidth: 140,
    cell: ({ last_used_at }) => <Moment time={last_used_at} otherwise="Never" />,
  },
  expires: { header: "Expires", cell: (token) => <Expiry token={token} /> },
} satisfies Record<string, Column>;

const warningMs = 7 * dayMs;

/** Shows when a token ends, with a warning in its last days. */
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

const TokenActions = ({ token }: { token: Token }) => {
  const { open } = useDialogs();
  const status = statusOf(token, useNow());
  const reason = isInvited(status) ? "The client has not used its invitation yet." : "The token has ended.";
  const ofClient = [
    {
      id: "rotate",
      text: "Rotate",
      secondaryText: "Get a new token; the old one works for a while.",
      disabled: status !== "active",
      disabledReason: status === "rotated" ? "The token has already been rotated." : reason,
    },
    { id: "edit", text: "Edit", disabled: !isLive(status), disabledReason: reason },
    { id: "invite", text: "Invite again" },
  ];
  return (
    <ButtonDropdown
      variant="inline-icon"
      ariaLabel={`Actions on ${tokenName(token)}`}
      expandToViewport
      renderItem={dangerItem("revoke")}
      items={[
        ...(token.trust_id === null ? ofClient : []),
        { id: "revoke", text: "Revoke", disabled: !isRevocable(status), disabledReason: reason },
      ]}
      onItemClick={({ detail: { id } }) => {
        if (id === "rotate") open(<RotateDialog token={token} />);
        if (id === "edit") open(<EditDialog token={token} />);
        if (id === "invite") open(<InviteDialog model={{ token, ip: token.ip }} />);
        if (id === "revoke") open(<RevokeDialog token={token} />);
      }}
    />
  );
};
