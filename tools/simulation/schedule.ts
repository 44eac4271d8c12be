/*
 * A schedule says everything that happens in a run: what clients do, and what becomes of each attempt to reach the database.
 * The same schedule always gives the same trace. Times are milliseconds of the virtual clock.
 */

/** What becomes of one attempt to reach the database. */
export interface Fate {
  /** The delays after which the database gets the request: one, several, or none. */
  deliveries: number[];
  answer: AnswerKind;
  /** How long the answer travels, from its first delivery or, without one, from the attempt. */
  answerDelay: number;
  /** The environment is killed when it has sent the request, or instead of getting the answer. */
  kill?: "sent" | "answered";
}

export const answerKinds = [
  "delivered",
  "lost",
  "reset",
  "truncated",
  "replaced",
  "wrong checksum",
  "throttled",
  "internal error",
  "expired token",
  "refused",
] as const;

export type AnswerKind = (typeof answerKinds)[number];

export type KeyName = "one" | "two";
export type Letter = "a" | "b" | "c";
/** The token of the setup, or the one that an earlier operation has issued, by the operation's id. */
export type TokenReference = "setup" | number;
export type Door = "api" | "admin";

/** Where a client calls from: the address of all clients, or another one. */
export type Place = "home" | "away";

interface Conditional {
  /** Sends an `ETag` of the key that a client has seen, the current one or an older one. Only by the API. */
  ifUnchanged?: boolean;
}

export type Call =
  | { kind: "create"; key: KeyName; letter: Letter; door: Door; token: TokenReference }
  | ({ kind: "replace"; key: KeyName; letter: Letter; door: Door; token: TokenReference } & Conditional)
  | ({ kind: "delete"; key: KeyName; door: Door; token: TokenReference } & Conditional)
  | { kind: "get"; key: KeyName; door: Door; token: TokenReference }
  | { kind: "list"; door: Door; token: TokenReference }
  | { kind: "use"; token: TokenReference; as: "itself" | "wrong address" | "wrong secret" }
  | { kind: "issue"; limit: number | null; expiresAfter: number | null }
  /** Changes what is given. */
  | { kind: "update"; token: TokenReference; limit?: number | null; expiresAfter?: number | null }
  | { kind: "rotate"; token: TokenReference; graceSeconds: number }
  | { kind: "dismiss" | "restore"; token: TokenReference; ip: string }
  | { kind: "revoke"; token: TokenReference }
  | { kind: "inspect"; token: TokenReference }
  | { kind: "tokens" }
  /** Of a token, of a key, or of everything. */
  | { kind: "history"; token?: TokenReference; key?: KeyName }
  | { kind: "usage"; token: TokenReference }
  | { kind: "deliver"; batch: number }
  /** The run that also prepares the tombstones of deleted keys for their deletion. */
  | { kind: "daily run" }
  /** Of a client whose address is known, or of one whose address has to be confirmed. */
  | { kind: "invite"; isKnown: boolean }
  /** The token is the invitation, by the id of the operation that has created it. */
  | { kind: "redeem"; token: TokenReference; from: Place }
  | { kind: "rotate own"; token: TokenReference; from: Place; graceSeconds: number }
  | { kind: "move" | "leave"; token: TokenReference; from: Place }
  /** Decides the request of an earlier operation, as shown in its answer or with a mistake. */
  | { kind: "confirm" | "reject"; asked: number; as: "shown" | "another address" | "another code" };

export interface Operation {
  id: number;
  /** The operations of one client follow each other; those of different clients overlap. */
  client: number;
  /** It begins together with this operation, and not after another one of its client. */
  beside?: number;
  /** The environment that serves it, unless that is busy. */
  environment: number;
  /** The pause before it begins, after the client's previous operation or after the start. */
  pause: number;
  call: Call;
  /** In the order of the attempts. Later ones are delivered and answered at once. */
  fates: Fate[];
}

export interface EnvironmentPlan {
  /** By how much its clock is ahead. */
  clockOffset: number;
  /** Whether its timers stop while it is frozen. */
  timersStandStill: boolean;
}

/** Each schedule has one subject, so that its few operations meet. */
export type Subject = "keys" | "tokens" | "limits" | "usage" | "everything" | "own tokens";

export interface Schedule {
  seed: number;
  setup: {
    keys: KeyName[];
    /** Keys that were deleted hours ago, so that their tombstones are due for deletion. */
    forgotten: KeyName[];
    limit: number | null;
    /** How often the token and the keys have been changed before. */
    changes: number;
  };
  /** When the schedule begins, in its minute. */
  startInMinute: number;
  /** When the database deletes what is due, in milliseconds after the beginning. If it ever does, it also does before the final questions. */
  deletions: number[];
  environments: EnvironmentPlan[];
  operations: Operation[];
}

/** An attempt that arrives and is answered at once. */
export const promptFate: Fate = { deliveries: [2], answer: "delivered", answerDelay: 2 };
