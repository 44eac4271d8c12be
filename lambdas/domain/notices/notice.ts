import * as z from "zod/mini";

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

/**
 * A notice as it is sent: the `detail` of an event on the bus. New fields may be added, but existing fields are never removed or
 * given another meaning. Nothing here is secret.
 */
export const foundNotice = z.object({
  notice_id: z.string().check(z.meta({ description: "The same for the same event: nothing is sent twice." })),
  kind: z.enum(noticeKinds),
  /** Null for a notice about the notices themselves. */
  token_id: z
    .nullable(z.string())
    .check(z.meta({ description: "The id of the token or of the trusted workload, which is not secret." })),
  comment: z.string().check(z.meta({ description: "What the token is for, as an admin wrote it." })),
  client: z.nullable(z.string()).check(z.meta({ description: "The token's client; null if it has none." })),
  ip: z.nullable(z.string()).check(z.meta({ description: "The address of the token; null while it is not known." })),
  found_at: z.string().check(z.meta({ description: "When it was found: RFC 3339, UTC." })),
  details: z.record(z.string(), z.string()).check(z.meta({ description: "What else there is to know, by kind." })),
});

export type FoundNotice = z.output<typeof foundNotice>;

/** Something that somebody should know about a token. */
export type Notice = Omit<FoundNotice, "found_at">;

/**
 * The state of a delivery. `sending` is stored before an attempt. A notice that may or may not have arrived stays `sending`, and
 * later becomes `uncertain`. Only `pending` notices are sent.
 */
export const deliveryStates = ["pending", "sending", "sent", "uncertain"] as const;

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
