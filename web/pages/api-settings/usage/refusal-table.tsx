import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { TableProps } from "@cloudscape-design/components/table";
import type { ErrorCode } from "../../../../lambdas/errors/catalogue.ts";
import type { Refusal } from "../../../api/types.ts";
import { SmallTable } from "../../../parts/list-table.tsx";
import { Address, Moment } from "../../../parts/values.tsx";

/** The columns of a wide window, and the one of a phone. */
const columnsOf = (dismissed: ReadonlySet<string>): Record<"wide" | "phone", Column[]> => {
  const reason: Column = {
    id: "code",
    header: "Reason",
    isRowHeader: true,
    cell: ({ code, status, leak, source_ip }) => (
      <>
        {status} <code className="address">{code}</code>
        <div className="remark">{reasons.get(code)}</div>
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
  };
  return {
    wide: [
      { id: "time", header: "When", width: 130, cell: ({ time }) => <Moment time={time} /> },
      reason,
      { id: "source_ip", header: "Address seen", cell: ({ source_ip }) => <Address ip={source_ip} /> },
      { id: "route", header: "Request", cell: ({ route }) => <span className="breakable">{route}</span> },
    ],
    phone: [
      {
        id: "all",
        header: "Refusal",
        isRowHeader: true,
        cell: (refusal) => (
          <>
            {reason.cell(refusal)}
            <div className="remark breakable">{refusal.route}</div>
            <div className="remark">
              <Moment time={refusal.time} /> from <Address ip={refusal.source_ip} />
            </div>
          </>
        ),
      },
    ],
  };
};

type Column = TableProps.ColumnDefinition<Refusal>;

interface RefusalTableProps {
  refusals: Refusal[];
  /** The wrong addresses that an admin has recognised. */
  dismissed: ReadonlySet<string>;
}

/** The last refused and failed calls of a token, with the reason and the address of each. */
export const RefusalTable = ({ refusals, dismissed }: RefusalTableProps) => {
  const { wide, phone } = columnsOf(dismissed);
  return <SmallTable title="Last refusals and failures" items={refusals} columns={wide} phoneColumns={phone} />;
};

/** Why a call with the correct secret was refused, for an admin. The names of the other errors say enough. */
const reasons = new Map<string, string>(
  Object.entries({
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
  } satisfies Partial<Record<ErrorCode, string>>),
);
