/* What the model of a token's life is about: see `model.ts`. */

export const addresses = ["one", "two"] as const;
export type Address = (typeof addresses)[number];

/** A client's request for the confirmation of an address. */
export interface Request {
  ip: Address;
  /** Steps for which it can be decided. */
  waits: number;
  decision: "confirmed" | "rejected" | null;
  /** Steps for which a move that was confirmed can be completed. */
  completes: number;
  /** Requests since the first one of the day. 0 means that the day has ended, and any rejection with it. */
  attempts: number;
}

export interface Token {
  /** The source of its secret: the text that its client sent, or random bytes. */
  from: "invitation" | "rotation" | "move" | "chance";
  /** The address that it is bound to; null while no admin has named one. */
  ip: Address | null;
  /** It is an invitation that was not redeemed. */
  isInvitation: boolean;
  /** It ends after a day, once it is a token. */
  isShort: boolean;
  /** Steps after which it ends; null if it has no end within the day. */
  ends: number | null;
  isRevoked: boolean;
  /** Steps for which the call that made it can be repeated. */
  repeats: number;
  /** The record has the value with which its secret can be derived again. */
  hasNonce: boolean;
  request: Request | null;
}

/** A token and its successors by rotations and moves, in this order. */
export type Tokens = readonly Token[];

export type Call =
  | { kind: "invite"; ip: Address | null; isShort: boolean }
  | { kind: "issue"; ip: Address; isShort: boolean }
  | { kind: "redeem"; from: Address }
  | { kind: "use"; token: number; from: Address }
  | { kind: "rotate"; token: number; from: Address; grace: Grace }
  | { kind: "move"; token: number; from: Address }
  | { kind: "leave"; token: number; from: Address }
  | { kind: "revoke" | "end soon"; token: number }
  | { kind: "rotate for"; token: number; grace: Grace }
  | { kind: "confirm" | "reject"; token: number; ip: Address; code: "current" | "other" }
  | { kind: "wait"; until: "a step later" | "the next day" };

/** For how many steps a rotated token keeps working. */
export type Grace = 0 | 2;

/** The outcome that the caller sees. */
export interface Answer {
  status: number;
  code?: string;
  /** The token whose text the response has, by its place. */
  text?: number;
  /** Whether the code in the response is a new one or the same as before. */
  shows?: "new code" | "same code";
}

export interface Outcome {
  tokens: Tokens;
  answer: Answer;
}

/** All calls that anybody can make. Whoever has a text may call from anywhere. */
export function* callsIn(tokens: Tokens): Generator<Call> {
  if (tokens.length === 0) {
    yield { kind: "invite", ip: null, isShort: false };
    yield { kind: "invite", ip: "one", isShort: true };
    yield { kind: "issue", ip: "one", isShort: false };
    return;
  }
  for (const until of ["a step later", "the next day"] as const) yield { kind: "wait", until };
  for (const token of tokens.keys()) yield* adminCalls(token);
  for (const from of addresses) {
    yield { kind: "redeem", from };
    for (const token of tokens.keys()) {
      for (const kind of ["use", "move", "leave"] as const) yield { kind, token, from };
      for (const grace of [0, 2] as const) yield { kind: "rotate", token, from, grace };
    }
  }
}

function* adminCalls(token: number): Generator<Call> {
  for (const kind of ["revoke", "end soon"] as const) yield { kind, token };
  for (const grace of [0, 2] as const) yield { kind: "rotate for", token, grace };
  for (const kind of ["confirm", "reject"] as const) {
    for (const ip of addresses) for (const code of ["current", "other"] as const) yield { kind, token, ip, code };
  }
}

/** The place of the token that a call is about. */
export const placeOf = (call: Call): number => ("token" in call ? call.token : 0);

export interface Scope {
  /** How many tokens there may be, successors included. */
  tokens: number;
  /** How many requests for confirmation there may be in a day. */
  requests: number;
}

export const isEnded = ({ isRevoked, ends }: Token): boolean => isRevoked || ends === 0;

/** The phase of a token in the model. */
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
