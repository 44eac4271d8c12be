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
  /** Requests since the first one of the day. 0 means that the day is over, and with it any rejection. */
  attempts: number;
}

export interface Token {
  /** What its secret was made from: the text that its client sent, or random bytes. */
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

/** What the caller learns. */
export interface Answer {
  status: number;
  code?: string;
  /** The token whose text the answer has, by its place. */
  text?: number;
  /** Whether the code in the answer is a new one or the same as before. */
  shows?: "new code" | "same code";
}

export interface Outcome {
  tokens: Tokens;
  answer: Answer;
}

export interface Scope {
  /** How many tokens there may be, successors included. */
  tokens: number;
  /** How many requests for confirmation there may be in a day. */
  requests: number;
}

export const isEnded = ({ isRevoked, ends }: Token): boolean => isRevoked || ends === 0;
