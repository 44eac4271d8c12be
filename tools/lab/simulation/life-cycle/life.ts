/* The vocabulary of the model of a token's life in `model.ts`. */

import type { Call as CallOfSchedule, Place } from "../schedule.ts";

/** A client's request for the confirmation of an address. */
export interface Request {
  ip: Place;
  /** Steps in which the request can still be decided. */
  waits: number;
  decision: "confirmed" | "rejected" | null;
  /** Steps in which a confirmed move can still be completed. */
  completes: number;
  /** Requests since the first one of the day. 0 means that the day has ended, and any rejection with it. */
  attempts: number;
}

export interface Token {
  /** The source of the secret: the value that the client sent, or random bytes. */
  from: "invitation" | "rotation" | "move" | "chance";
  /** The address that the token is bound to. Null until an admin has named one. */
  ip: Place | null;
  /** The record is an invitation that was not redeemed. */
  isInvitation: boolean;
  /** The token ends after a day. For an invitation, this applies once it is redeemed. */
  isShort: boolean;
  /** Steps until the token ends. Null if it has no end within the day. */
  ends: number | null;
  isRevoked: boolean;
  /** Steps in which the call that made the token can be repeated. */
  repeats: number;
  /** The record contains the nonce from which the secret can be derived again. */
  hasNonce: boolean;
  request: Request | null;
}

/** A token and its successors by rotations and moves, in this order. */
export type Tokens = readonly Token[];

type Kind = "invite" | "issue" | "redeem" | "use" | "rotate own" | "move" | "leave" | "revoke" | "update" | "rotate";

/** The calls of the simulation that the model knows, and the passing of time. The token `setup` is the invitation. */
export type Call =
  | Extract<CallOfSchedule, { kind: Kind | "confirm" | "reject" }>
  | { kind: "wait"; until: "a step later" | "the next day" };

/** A quarter of an hour, which counts as two steps. */
export const windowSeconds = 15 * 60;

/** The outcome that the caller sees. */
export interface Answer {
  status: number;
  code?: string;
  /** The position of the token whose value is in the response. */
  text?: number;
  /** Whether the code in the response is new or the same as before. */
  shows?: "new code" | "same code";
}

export interface Outcome {
  tokens: Tokens;
  answer: Answer;
}

const places = ["home", "away"] as const;
const graces = [0, windowSeconds] as const;
const day = 24 * 60 * 60 * 1_000;

/** Yields all calls that anybody can make. Anyone who has a token value may call from anywhere. */
export function* callsIn(tokens: Tokens): Generator<Call> {
  if (tokens.length === 0) {
    const validSeconds = 25 * 60;
    yield { kind: "invite", isKnown: false, expiresAfter: null, validSeconds };
    yield { kind: "invite", isKnown: true, expiresAfter: day, validSeconds };
    yield { kind: "issue", limit: null, expiresAfter: null };
    return;
  }
  for (const until of ["a step later", "the next day"] as const) yield { kind: "wait", until };
  for (const from of places) yield { kind: "redeem", token: "setup", from };
  for (const token of tokens.keys()) {
    yield { kind: "revoke", token };
    yield { kind: "update", token, expiresAfter: windowSeconds * 1_000 };
    for (const as of ["itself", "wrong address"] as const) yield { kind: "use", token, as };
    for (const kind of ["confirm", "reject"] as const)
      for (const as of ["shown", "another address", "another code"] as const) yield { kind, asked: token, as };
    for (const graceSeconds of graces) yield { kind: "rotate", token, graceSeconds };
    for (const from of places) {
      for (const kind of ["move", "leave"] as const) yield { kind, token, from };
      for (const graceSeconds of graces) yield { kind: "rotate own", token, from, graceSeconds };
    }
  }
}

/** Returns the position of the token that a call is about. */
export const placeOf = (call: Call): number => {
  if ("asked" in call) return call.asked;
  return "token" in call && typeof call.token === "number" ? call.token : 0;
};

export interface Scope {
  /** The maximum number of tokens, including successors. */
  tokens: number;
  /** The maximum number of requests for confirmation in a day. */
  requests: number;
}

export const isEnded = ({ isRevoked, ends }: Token): boolean => isRevoked || ends === 0;

/** Returns the phase of a token in the model. */
export const phaseIn = ({ isRevoked, ends, isInvitation, request, ip }: Token, hasSuccessor: boolean): string => {
  if (isRevoked) return "revoked";
  if (ends === 0) return hasSuccessor ? "replaced" : "expired";
  const isWaiting = request !== null && request.decision === null && request.waits > 0;
  if (isInvitation) return isWaiting ? "awaiting_confirmation" : "invited";
  if (hasSuccessor) return "rotated";
  if (request === null || request.ip === ip) return "active";
  if (isWaiting) return "moving";
  return request.decision === "confirmed" && request.completes > 0 ? "move_confirmed" : "active";
};
