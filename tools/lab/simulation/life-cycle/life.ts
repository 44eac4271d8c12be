/* The vocabulary of the model of a token's life in `model.ts`. */

export const addresses = ["one", "two"] as const;
export type Address = (typeof addresses)[number];

/** A client's request for the confirmation of an address. */
export interface Request {
  ip: Address;
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
  ip: Address | null;
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

/** The number of steps for which a rotated token keeps working. */
export type Grace = 0 | 2;

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

/** Yields all calls that anybody can make. Anyone who has a token value may call from anywhere. */
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

/** Returns the position of the token that a call is about. */
export const placeOf = (call: Call): number => ("token" in call ? call.token : 0);

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
