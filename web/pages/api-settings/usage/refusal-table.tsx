import Header from "@cloudscape-design/components/header";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import type { ErrorCode } from "../../../../lambdas/errors/catalogue.ts";
import type { Refusal } from "../../../api/types.ts";
import { useBreakpoint } from "../../../parts/use-breakpoint.ts";
import { Address, Moment } from "../../../parts/values.tsx";

const when: TableProps.ColumnDefinition<Refusal> = {
  id: "time",
  header: "When",
  width: 130,
  cell: ({ time }) => <Moment time={time} />,
};

const reason = (dismissed: ReadonlySet<string>): TableProps.ColumnDefinition<Refusal> => ({
  id: "code",
  header: "Reason",
  isRowHeader: true,
  cell: ({ code, status, leak, source_ip }) => (
    <>
      {status} <code className="address">{code}</code>
      <div className="remark">{refusalReason(code)}</div>
      {leak && (
        <div>
          {dismissed.has(source_ip) ? (
            <span className="remark">Wrong address, dismissed</span>
          ) : (
            <StatusIndicator type="warning">Wrong address</StatusIndicator>
          )}
        </div>
      )}
    </>
  ),
});

const address: TableProps.ColumnDefinition<Refusal> = {
  id: "source_ip",
  header: "Address seen",
  cell: ({ source_ip }) => <Address ip={source_ip} />,
};

const request: TableProps.ColumnDefinition<Refusal> = {
  id: "route",
  header: "Request",
  cell: ({ route }) => <span className="breakable">{route}</span>,
};

const all = (dismissed: ReadonlySet<string>): TableProps.ColumnDefinition<Refusal> => ({
  id: "all",
  header: "Refusal",
  isRowHeader: true,
  cell: (refusal) => (
    <>
      {reason(dismissed).cell(refusal)}
      <div className="remark breakable">{refusal.route}</div>
      <div className="remark">
        <Moment time={refusal.time} /> from <Address ip={refusal.source_ip} />
      </div>
    </>
  ),
});

interface RefusalTableProps {
  refusals: Refusal[];
  /** The wrong addresses that an admin has recognised. */
  dismissed: ReadonlySet<string>;
}

/** The last refused and failed calls of a token, with the reason and the address of each. */
export const RefusalTable = ({ refusals, dismissed }: RefusalTableProps) => {
  const breakpoint = useBreakpoint();
  return (
    <Table
      items={refusals}
      columnDefinitions={breakpoint === "phone" ? [all(dismissed)] : [when, reason(dismissed), address, request]}
      variant="embedded"
      contentDensity="compact"
      wrapLines
      ariaLabels={{ tableLabel: "Last refusals and failures" }}
      header={<Header variant="h3">Last refusals and failures</Header>}
    />
  );
};

/** Why a call with the correct secret was refused, for an admin. The names of the other errors say enough. */
const reasons: Partial<Record<ErrorCode, string>> = {
  token_expired: "The token had ended.",
  token_revoked: "The token had been revoked.",
  ip_not_allowed: "The call came from another address than the one it is allowed from.",
  invitation_used: "The invitation had already become this token.",
  invitation_expired: "Nobody had used the invitation in time.",
  invitation_revoked: "The invitation, or the token that it became, had been revoked.",
  request_rejected: "An admin had rejected this address.",
  too_many_requests: "Confirmation had been requested ten times within 24 hours.",
  move_not_needed: "The client asked to move to the address that the token already has.",
  token_already_rotated: "The token already had a successor.",
  rate_limited: "The token had reached its limit for that minute.",
};

/** The reason for an error code, if there is more to say than its name. */
export const refusalReason = (code: string): string | undefined => byCode.get(code);

const byCode = new Map(Object.entries(reasons));
