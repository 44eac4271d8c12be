import Badge, { type BadgeProps } from "@cloudscape-design/components/badge";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { Token } from "../../api/token.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { relativeTime, useNow } from "../../parts/time.ts";
import { addresses } from "../../shell/routing.ts";

export const standings = ["active", "rotated", "expired", "revoked"] as const;

/** How things stand with a token: its state, with those apart that still hold but have a successor. */
export type Standing = (typeof standings)[number];

/** A token may have expired since the service told of it. */
export const standingOf = ({ state, expires_at, successor_id }: Token, now: number): Standing => {
  if (state !== "active") return state;
  if (expires_at !== null && Date.parse(expires_at) <= now) return "expired";
  return successor_id === null ? "active" : "rotated";
};

export const standingNames: Record<Standing, string> = {
  active: "Active",
  rotated: "Rotated",
  expired: "Expired",
  revoked: "Revoked",
};

const colours: Record<Standing, NonNullable<BadgeProps["color"]>> = {
  active: "green",
  rotated: "blue",
  expired: "grey",
  revoked: "red",
};

/** The state of a token as a badge; of a rotated one also when it ends, and what came in its place. */
export const TokenStanding = ({ token }: { token: Token }) => {
  const now = useNow();
  const { expires_at, successor_id, rotated_at, last_used_at } = token;
  const isStillUsed = last_used_at !== null && rotated_at !== null && last_used_at > rotated_at;
  const standing = standingOf(token, now);
  return (
    <span className="standing">
      <Badge color={colours[standing]}>{standingNames[standing]}</Badge>
      {standing === "rotated" && expires_at !== null && successor_id !== null && (
        <span className="remark">
          ends {relativeTime(expires_at, now)}, <PageLink href={addresses.token(successor_id)}>replaced</PageLink>
        </span>
      )}
      {standing === "rotated" && isStillUsed && <StatusIndicator type="warning">Still in use</StatusIndicator>}
    </span>
  );
};
