import { Button, StatusIndicator } from "@cloudscape-design/components";
import type { ErrorCode } from "../../../../../lambdas/shared/errors/catalogue.ts";
import type { Refusal, Token } from "../../../api/types.ts";
import { SmallTable } from "../../../parts/list-table.tsx";
import { useNow } from "../../../parts/time.ts";
import { Actor, Address, Moment, OneLine } from "../../../parts/values.tsx";
import { useOpenDialog } from "../token/open-dialog.ts";
import { isLive, statusOf } from "../token/token-status.ts";
import type { LeakSource } from "./leak-sources.ts";

/** Lists the dismissed addresses, and the wrong addresses that used the correct secret in the last seven days. */
export const LeakTable = ({ token, sources }: { token: Token; sources: LeakSource[] }) => (
  <SmallTable
    title="Wrong addresses"
    items={sources}
    trackBy="ip"
    columns={[
      { id: "ip", header: "Address", isRowHeader: true, minWidth: 170, cell: ({ ip }) => <Address ip={ip} /> },
      { id: "calls", header: "Calls", width: 75, cell: ({ calls }) => (calls?.calls ?? 0).toLocaleString("en") },
      { id: "first_at", header: "First", cell: ({ calls }) => <Moment time={calls?.first_at ?? null} /> },
      { id: "last_at", header: "Last", cell: ({ calls }) => <Moment time={calls?.last_at ?? null} /> },
      {
        id: "warning",
        header: "Warning",
        minWidth: 165,
        cell: (source) => <Dismissal token={token} source={source} />,
      },
    ]}
  />
);

interface DismissalProps {
  token: Token;
  source: LeakSource;
}

/** Shows whether and by whom a warning was dismissed. A button changes this unless the token has ended. */
const Dismissal = ({ token, source: { ip, dismissal } }: DismissalProps) => {
  const open = useOpenDialog();
  const [name, text, label] = dismissal
    ? (["restore", "Warn again", "Warn again about"] as const)
    : (["dismiss", "Stop warning", "Stop warning about"] as const);
  return (
    <>
      <div>
        {dismissal ? (
          <OneLine text={dismissal.dismissed_by}>
            No warnings since <Moment time={dismissal.dismissed_at} /> by <Actor name={dismissal.dismissed_by} />
          </OneLine>
        ) : (
          "Warnings are on"
        )}
      </div>
      {isLive(statusOf(token, useNow())) && (
        <Button variant="inline-link" ariaLabel={`${label} ${ip}`} onClick={() => open({ name, token, ip })}>
          {text}
        </Button>
      )}
    </>
  );
};

interface RefusalTableProps {
  refusals: Refusal[];
  /** The wrong addresses that an admin has recognised. */
  dismissed: ReadonlySet<string>;
}

/** Lists a token's last refused and failed calls with their reasons and addresses. */
export const RefusalTable = ({ refusals, dismissed }: RefusalTableProps) => (
  <SmallTable
    title="Last refusals and failures"
    items={refusals}
    columns={[
      { id: "time", header: "When", width: 125, cell: ({ time }) => <Moment time={time} /> },
      {
        id: "code",
        header: "Reason",
        isRowHeader: true,
        minWidth: 185,
        cell: (refusal) => <Reason refusal={refusal} isDismissed={dismissed.has(refusal.source_ip)} />,
      },
      { id: "source_ip", header: "Address seen", minWidth: 190, cell: ({ source_ip }) => <Address ip={source_ip} /> },
      { id: "route", header: "Request", cell: ({ route }) => <OneLine text={route} /> },
    ]}
  />
);

const Reason = ({ refusal: { status, code, leak }, isDismissed }: { refusal: Refusal; isDismissed: boolean }) => (
  <>
    {status} <code className="address">{code}</code>
    <div className="remark">
      {!leak && reasons.get(code)}
      {leak && isDismissed && "Wrong address, no warning"}
      {leak && !isDismissed && <StatusIndicator type="warning">Wrong address</StatusIndicator>}
    </div>
  </>
);

/**
 * Explains why a call with the correct secret was rejected, short enough for one line on a phone. Other errors' names are clear
 * enough.
 */
const reasons = new Map<string, string>(
  Object.entries({
    token_expired: "The token had ended.",
    token_revoked: "The token had been revoked.",
    ip_not_allowed: "The call came from another address.",
    invitation_used: "The invitation had already been used.",
    invitation_expired: "The invitation was not used in time.",
    invitation_revoked: "The invitation or its token was revoked.",
    request_rejected: "An admin had rejected this address.",
    too_many_requests: "It had made ten requests within 24 hours.",
    move_not_needed: "The token already has this address.",
    token_already_rotated: "The token had already been replaced.",
    rate_limited: "The limit for that minute was reached.",
  } satisfies Partial<Record<ErrorCode, string>>),
);
