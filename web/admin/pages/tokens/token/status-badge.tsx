import { Badge, type BadgeProps, StatusIndicator } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { PageLink } from "../../../parts/page.tsx";
import { relativeTime, useNow } from "../../../parts/time.ts";
import { confirmedMove, isInvited, isUnredeemed, statusNames, statusOf, type TokenStatus } from "./token-status.ts";

const colours: Record<TokenStatus, NonNullable<BadgeProps["color"]>> = {
  active: "green",
  rotated: "blue",
  invited: "severity-neutral",
  awaiting_confirmation: "severity-medium",
  moved: "grey",
  expired: "grey",
  revoked: "red",
};

/**
 * Shows a token's status as a badge. A rotated token also shows its end, its successor, and whether it is still in use. An
 * invitation shows its end or its outcome. A confirmed move shows how much time the client has left.
 */
export const StatusBadge = ({ token }: { token: Token }) => {
  const now = useNow();
  const { expires_at, successor_id, rotated_at, last_used_at, invitation, request } = token;
  const isStillUsed = last_used_at !== null && rotated_at !== null && last_used_at > rotated_at;
  const status = statusOf(token, now);
  const move = confirmedMove(token, now);
  return (
    <span className="status-badge row">
      <Badge color={colours[status]}>{statusNames[status]}</Badge>
      {status === "rotated" && expires_at !== null && successor_id !== null && (
        <span className="remark">
          ends {relativeTime(expires_at, now)}, <PageLink href={addresses.token(successor_id)}>new token</PageLink>
        </span>
      )}
      {status === "moved" && request !== null && successor_id !== null && (
        <span className="remark">
          to <PageLink href={addresses.token(successor_id)}>{request.ip}</PageLink>
        </span>
      )}
      {move && <span className="remark">its move ends {relativeTime(move.until, now)}</span>}
      {isInvited(status) && invitation !== null && (
        <span className="remark">invitation ends {relativeTime(invitation.expires_at, now)}</span>
      )}
      {status === "expired" && isUnredeemed(token) && <span className="remark">invitation never redeemed</span>}
      {status === "rotated" && isStillUsed && <StatusIndicator type="warning">Still in use</StatusIndicator>}
    </span>
  );
};
