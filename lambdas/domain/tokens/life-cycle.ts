import { tokenPaths } from "../../shared/addresses.ts";
import { isConfirmed, isWaiting, requestIn } from "./address-request.ts";
import { expiringDays } from "./token-limits.ts";
import { type Phase, phases, type TokenState } from "./token-state.ts";
import type { TokenRecord } from "./token-store.ts";

/*
 * A token's life cycle as a state machine. The conditions of the store's writes, the documentation's diagram and the model that the
 * tests explore are all derived from this file.
 */

/** A transition in a token's life cycle. Each is one conditional write to the token's record, unless it only depends on time. */
export interface Transition {
  /** The phases in which it can happen; empty if it starts a life cycle. */
  from: readonly Phase[];
  to: Phase;
}

/** An invitation that can be redeemed, possibly after its address has been confirmed. */
export const invited: readonly Phase[] = ["invited", "awaiting_confirmation"];

/** A token that works and has no successor. */
export const unrotated: readonly Phase[] = ["active", "moving", "move_confirmed"];

/** A token that works. */
export const working: readonly Phase[] = [...unrotated, "rotated"];

export const lifeCycle = {
  issue: { from: [], to: "active" },
  succeed: { from: [], to: "active" },
  exchange: { from: [], to: "active" },
  invite: { from: [], to: "invited" },
  ask: { from: invited, to: "awaiting_confirmation" },
  confirm: { from: ["awaiting_confirmation"], to: "invited" },
  reject: { from: ["awaiting_confirmation"], to: "invited" },
  lapse: { from: ["awaiting_confirmation"], to: "invited" },
  redeem: { from: ["invited"], to: "active" },
  ask_to_move: { from: ["active", "moving"], to: "moving" },
  confirm_move: { from: ["moving"], to: "move_confirmed" },
  reject_move: { from: ["moving"], to: "active" },
  lapse_move: { from: ["moving", "move_confirmed"], to: "active" },
  move: { from: ["move_confirmed"], to: "replaced" },
  rotate: { from: unrotated, to: "rotated" },
  shorten: { from: ["rotated"], to: "rotated" },
  replace: { from: ["rotated"], to: "replaced" },
  // Until the successor is first used, a replaced token's value may still return the successor's value.
  revoke: { from: [...invited, ...working, "replaced"], to: "revoked" },
  expire: { from: [...invited, ...unrotated], to: "expired" },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof lifeCycle;

interface TransitionGuide {
  by: "admin" | "client" | "time";
  /** The action of the admin or client, or the effect of time. */
  cause: string;
}

/** The documentation of each transition. A separate table, so that bundles can leave it out. */
export const transitionGuide: Readonly<Record<TransitionName, TransitionGuide>> = {
  issue: { by: "admin", cause: "issues a token" },
  succeed: { by: "client", cause: "gets the successor of a token that it rotates or moves" },
  exchange: { by: "client", cause: "exchanges the JWT of a trusted workload" },
  invite: { by: "admin", cause: "invites a client" },
  ask: { by: "client", cause: "sends an invitation that names no address" },
  confirm: { by: "admin", cause: "confirms the address" },
  reject: { by: "admin", cause: "rejects the address" },
  lapse: { by: "time", cause: "15 minutes without a decision" },
  redeem: { by: "client", cause: "redeems the invitation from its address" },
  ask_to_move: { by: "client", cause: "asks to move to another address" },
  confirm_move: { by: "admin", cause: "confirms the other address" },
  reject_move: { by: "admin", cause: "rejects the other address" },
  lapse_move: { by: "time", cause: "15 minutes without a decision, or without completing the move" },
  move: { by: "client", cause: "completes the move and gets the successor" },
  rotate: { by: "client", cause: "rotates the token; so can an admin" },
  shorten: { by: "client", cause: "repeats the rotation with a shorter grace period" },
  revoke: { by: "admin", cause: "revokes it; so can anybody with its secret" },
  replace: { by: "time", cause: "the end of the grace period" },
  expire: { by: "time", cause: "its expiry" },
};

/** Returns a token's phase at a given time (RFC 3339, UTC, ms). It never depends on DynamoDB's time-to-live, which deletes late. */
export const phaseOf = (record: TokenRecord, now: string): Phase => {
  const { revoked_at, expires_at, successor_id } = record;
  // A trust is not a token and must not be usable as one.
  if (revoked_at !== undefined || isTrust(record)) return "revoked";
  if (expires_at !== undefined && expires_at <= now) return successor_id === undefined ? "expired" : "replaced";
  const request = requestIn(record);
  if (isUnredeemed(record)) return isWaiting(request, now) ? "awaiting_confirmation" : "invited";
  if (successor_id !== undefined) return "rotated";
  if (request === undefined || request.ip === record.ip) return "active";
  if (isWaiting(request, now)) return "moving";
  return isConfirmed(request, now) ? "move_confirmed" : "active";
};

/** Returns a token's state at a given time, as admins see it. */
export const tokenState = (record: TokenRecord, now: string): TokenState => phases[phaseOf(record, now)];

/** Returns when a token began to work: RFC 3339, UTC, ms. */
export const beganAt = ({ issued_at, redeemed_at = issued_at }: TokenRecord): string => redeemed_at;

/** Checks whether a record belongs to a trusted workload instead of a token: see `trust.ts`. */
export const isTrust = ({ subject }: TokenRecord): boolean => subject !== undefined;

/** Checks whether a record is an invitation that has not become a token. */
export const isUnredeemed = ({ invitation_hash, redeemed_at }: TokenRecord): boolean =>
  invitation_hash !== undefined && redeemed_at === undefined;

/** Checks whether a token is in one of these phases. An empty list means that there must be no token. */
export const isIn = (from: readonly Phase[], record: TokenRecord | undefined, now: string): boolean =>
  record === undefined ? from.length === 0 : from.includes(phaseOf(record, now));

/**
 * Returns `isIn` as a condition expression, in which `:now` stands for the time. A client's request is stored in one attribute,
 * which expressions cannot look into. A write that depends on the request is therefore made to exactly the record that was read.
 */
export const conditionOf = (from: readonly Phase[]): string => {
  if (from.length === 0) return "attribute_not_exists(token_id)";
  const includes = (phases: readonly Phase[]) => from.some((phase) => phases.includes(phase));
  const terms = [
    "attribute_exists(token_id)",
    "attribute_not_exists(subject)",
    "attribute_not_exists(revoked_at)",
    `(attribute_not_exists(expires_at) OR expires_at > :now${includes(["replaced"]) ? " OR attribute_exists(successor_id)" : ""})`,
  ];
  if (!includes(working)) terms.push("attribute_exists(invitation_hash)", "attribute_not_exists(redeemed_at)");
  if (!includes(invited)) terms.push("(attribute_not_exists(invitation_hash) OR attribute_exists(redeemed_at))");
  if (!includes(["rotated", "replaced"])) terms.push("attribute_not_exists(successor_id)");
  return terms.join(" AND ");
};

/** What to tell the holder of a token that ends soon. */
export interface Expiring {
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  /** Whole days until then. */
  days: number;
  /** The call that replaces the token; `null` if the token already has a successor, or if a successor would not live longer. */
  rotation: string | null;
}

/** The call that clients use to rotate their tokens. */
export const rotationCall = `POST ${tokenPaths.rotation}`;

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Returns what to tell the holder of a working token at a given time (Unix, in ms); `undefined` unless the token ends soon. */
export const expiringAt = (
  { expires_at, end_set_at, successor_id }: Pick<TokenRecord, "expires_at" | "end_set_at" | "successor_id">,
  now: number,
): Expiring | undefined => {
  if (expires_at === undefined) return undefined;
  const left = (Date.parse(expires_at) - now) / dayMilliseconds;
  if (left > expiringDays) return undefined;
  const days = Math.max(0, Math.floor(left));
  return { expires_at, days, rotation: successor_id === undefined && end_set_at === undefined ? rotationCall : null };
};
