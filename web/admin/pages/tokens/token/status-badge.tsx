import { StatusIndicator } from "@cloudscape-design/components";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { PageLink } from "../../../parts/page.tsx";
import { relativeTime, useNow } from "../../../parts/time.ts";
import { confirmedMove, isInvited, isRevocable, isUnredeemed, statusNames, statusOf } from "./token-status.ts";

/** Shows a token's status in one or two words: marked if somebody has to decide, and as a warning if it is still in use. */
export const StatusName = ({ token }: { token: Token }) => {
  const { rotated_at, last_used_at } = token;
  const status = statusOf(token, useNow());
  const isStillUsed = last_used_at !== null && rotated_at !== null && last_used_at > rotated_at;
  if (status === "awaiting_confirmation") return <span className="decision-mark">{statusNames[status]}</span>;
  if (status === "rotated" && isStillUsed) return <StatusIndicator type="warning">Rotated, in use</StatusIndicator>;
  return <span className={isRevocable(status) ? undefined : "remark"}>{statusNames[status]}</span>;
};

/**
 * Shows a token's status with details: the end and successor of a rotated token, the end or outcome of an invitation, and the time
 * that the client has left for a confirmed move.
 */
export const StatusDetails = ({ token }: { token: Token }) => {
  const now = useNow();
  const { expires_at, successor_id, invitation, request } = token;
  const status = statusOf(token, now);
  const move = confirmedMove(token, now);
  return (
    <span className="status-badge row">
      <StatusName token={token} />
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
    </span>
  );
};
