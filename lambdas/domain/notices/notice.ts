/*
 * Notices tell people about tokens before they ask. The web interface uses this file, so it must not import anything that only runs
 * on a server.
 */

export const noticeKinds = [
  "token_expires",
  "rotation_unfinished",
  "token_unused",
  "invitation_unused",
  "confirmation_waiting",
  "token_leaked",
  "trust_ends",
  "issuer_unreachable",
  "delivery_uncertain",
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

/** Checks whether a notice can have this id. An id begins with the kind, and names what the notice is about. */
export const isNoticeId = (id: string): boolean => new RegExp(`^(?:${noticeKinds.join("|")}):[!-~]+$`).test(id);

/** Something about a token that somebody should know. Nothing here is secret. */
export interface Notice {
  /** Identifies the event, however often it is found, so that nobody is notified twice. */
  notice_id: string;
  kind: NoticeKind;
  /** Null for a notice about the notices themselves. */
  token_id: string | null;
  comment: string;
  /** Whom the token belongs to; null if it has no client. */
  client: string | null;
  /** The token's address; null until it is known. */
  ip: string | null;
  /** Details. Times are RFC 3339, UTC, with milliseconds. */
  details: Readonly<Record<string, string>>;
}

/** Describes the event in a sentence. */
export const describeNotice = ({ kind, token_id, comment, client, ip, details }: Notice): string => {
  const owner = client === null ? "" : ` of ${client}`;
  const token = `The token ${comment === "" ? token_id : `"${comment}" (${token_id})`}${owner}`;
  const place = ip === null ? "" : `, which works from ${ip},`;
  const workload = `The workload ${comment === "" ? details.subject : `"${comment}" (${details.subject})`}${owner}`;
  switch (kind) {
    case "token_expires":
      return `${token}${place} is in use and expires within ${details.days === "1" ? "a day" : `${details.days} days`}, at ${details.expires_at}. Its client can rotate it, or an admin can change its expiry.`;
    case "rotation_unfinished":
      return `${token}${place} has been rotated but is still in use. It ends at ${details.expires_at}; its client must use the successor ${details.successor_id} from then on.`;
    case "token_unused":
      return `${token}${place} has not been used since ${details.unused_since}. Revoke it if nobody needs it.`;
    case "invitation_unused":
      return `${token} is still an invitation, which expires at ${details.expires_at}. Its client has not used it.`;
    case "confirmation_waiting":
      return `${token} waits for an admin to confirm the address ${details.ip}, which its client asked for at ${details.requested_at}. The request expires at ${details.expires_at}.`;
    case "token_leaked":
      return `${token}${place} was sent from another address, ${details.source_ip}, with the correct secret at ${details.seen_at}. If that is not its client, rotate or revoke it.`;
    case "trust_ends":
      return `${workload} of ${details.issuer} is trusted until ${details.expires_at}. Its tokens end then, too; an admin can change the end.`;
    case "issuer_unreachable":
      return `${workload} gets no tokens: since ${details.unreachable_since}, the service has not been able to read the keys of ${details.issuer}.`;
    case "delivery_uncertain":
      return `It is not known whether these notices were delivered to the ${details.channel}: ${details.notice_ids}. They are not sent again.`;
  }
};
