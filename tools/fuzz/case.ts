import type { IncomingRequest } from "../support/http-event.ts";

/*
 * A case is plain JSON, so that one that failed can be stored as a file. It contains tokens, and parts of tokens, as
 * placeholders such as `<<active>>` or `<<active:id>>`, which each run replaces with its own tokens.
 */

export interface HttpCase extends IncomingRequest {
  kind: "http";
  /** Parts of the event that no gateway would produce. */
  tampered?: Record<string, unknown>;
}

/** An HTTP request, or an invocation of the admin function. */
export type Case = HttpCase | { kind: "invoke"; payload: unknown };

/** A part of every secret that a case invents, so that the log can be searched for it. */
export const secretMark = "hushhush";

/** The invitations in the table, by the name of their placeholder. */
export const invitationNames = [
  ...(["invited", "unaddressed", "waiting", "redeemed", "lapsed", "withdrawn", "invitedLimited"] as const),
];

/** The tokens and invitations in the table, by the name of their placeholder. */
export const tokenNames = [
  ...(["active", "elsewhere", "expired", "revoked", "rotated", "moving", "limited"] as const),
  ...invitationNames,
];

export type TokenName = (typeof tokenNames)[number];
