import type * as z from "zod/mini";
import type { Notice, NoticeKind } from "../../domain/notices/notice.ts";
import { expiringDays } from "../../domain/tokens/token-limits.ts";
import type { token as tokenSchema } from "../tokens/token-schemas.ts";
import type { trust as trustSchema } from "../trusts/trust-schemas.ts";

/* The web interface shows the same notices, so this file must not import anything that only runs on a server. */

type Token = z.output<typeof tokenSchema>;
type Trust = z.output<typeof trustSchema>;

/** People are notified this many days before a token in use expires. */
const expiryDays = [1, 7, expiringDays] as const;

/** A token counts as unused after this many days without a request. */
const unusedDays = 90;

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns the notices that are due for a token at a given time. A notice is returned for as long as it applies; its id shows
 * whether it is new.
 *
 * @param now RFC 3339, UTC, with milliseconds
 */
export const dueNotices = (token: Token, now: string): Notice[] => {
  const notice = noticesAbout(token);
  const { state, expires_at, last_used_at, successor_id, rotated_at, invitation, request } = token;
  const at = Date.parse(now);
  const beganAt = invitation?.redeemed_at ?? token.issued_at;
  const lastActivity = last_used_at ?? beganAt;
  const isUnused = at - Date.parse(lastActivity) >= unusedDays * dayMs;
  const notices: Notice[] = [];

  if (state === "active" && successor_id === null) {
    const days = daysBefore({ now: at, began: Date.parse(beganAt), expires_at });
    if (expires_at !== null && last_used_at !== null && !isUnused && days !== undefined) {
      const details = { expires_at, days: String(days) };
      notices.push(notice("token_expires", `${expires_at}:${days}`, details));
    }
    if (isUnused) notices.push(notice("token_unused", lastActivity, { unused_since: lastActivity }));
  }
  if (state === "active" && successor_id !== null && expires_at !== null && rotated_at !== null) {
    const isInUse = last_used_at !== null && last_used_at > rotated_at;
    if (isInUse && Date.parse(expires_at) - at <= dayMs) {
      notices.push(notice("rotation_unfinished", successor_id, { expires_at, successor_id }));
    }
  }
  if (state === "invited" && invitation !== null) {
    const halfway = (Date.parse(token.issued_at) + Date.parse(invitation.expires_at)) / 2;
    if (at >= halfway) {
      notices.push(notice("invitation_unused", invitation.expires_at, { expires_at: invitation.expires_at }));
    }
  }
  const isPossible = state === "awaiting_confirmation" || (state === "active" && successor_id === null);
  if (isPossible && request?.decision === null && request.expires_at > now) {
    const { for: purpose, ip, requested_at } = request;
    const details = { for: purpose, ip, requested_at, expires_at: request.expires_at };
    notices.push(notice("confirmation_waiting", requested_at, details));
  }
  return notices;
};

/** Whether a client's token ends within so many days, and no other has replaced it. */
export const expiresWithin = (
  days: number,
  { state, expires_at, successor_id, trust_id }: Pick<Token, "state" | "expires_at" | "successor_id" | "trust_id">,
  now: number,
): boolean => {
  if (state !== "active" || expires_at === null || successor_id !== null || trust_id !== null) return false;
  const left = Date.parse(expires_at) - now;
  return left > 0 && left <= days * dayMs;
};

/** Returns the notices that are due for a trusted workload, in the same way. */
export const dueTrustNotices = (trust: Trust, now: string): Notice[] => {
  const { trust_id, issuer, subject, comment, client, ip, state, created_at, expires_at, unreachable_since } = trust;
  if (state === "ended") return [];
  const notice = noticesAbout({ token_id: trust_id, comment, client, ip });
  const workload = { issuer, subject };
  const at = Date.parse(now);
  const days = daysBefore({ now: at, began: Date.parse(created_at), expires_at });
  return [
    ...(expires_at !== null && days !== undefined
      ? [notice("trust_ends", `${expires_at}:${days}`, { ...workload, expires_at, days: String(days) })]
      : []),
    ...(unreachable_since !== null && at - Date.parse(unreachable_since) >= dayMs
      ? [notice("issuer_unreachable", unreachable_since, { ...workload, unreachable_since })]
      : []),
  ];
};

/** Returns the notice that a token's correct secret was sent from a wrong address. There is one notice per address. */
export const leakNotice = (token: Subject, leak: { source_ip: string; seen_at: string }): Notice =>
  noticesAbout(token)("token_leaked", leak.source_ip, leak);

type Subject = Pick<Notice, "token_id" | "comment" | "client" | "ip">;

/** Returns a function that creates notices about a token or a trusted workload. `id` tells notices of the same kind apart. */
const noticesAbout =
  ({ token_id, comment, client, ip }: Subject) =>
  (kind: NoticeKind, id: string, details: Notice["details"]): Notice => ({
    notice_id: `${kind}:${token_id}:${id}`,
    kind,
    token_id,
    comment,
    client,
    ip,
    details,
  });

/** Returns the entry of `expiryDays` that applies to a token now. Skips periods that are longer than the token's lifetime. */
const daysBefore = ({
  now,
  began,
  expires_at,
}: {
  now: number;
  began: number;
  expires_at: string | null;
}): number | undefined => {
  if (expires_at === null) return undefined;
  const end = Date.parse(expires_at);
  return expiryDays.find((days) => end - now <= days * dayMs && end - began > days * dayMs);
};
