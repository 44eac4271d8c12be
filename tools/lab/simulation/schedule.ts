import type { RecordCall, RecordName } from "./records/tables.ts";

/*
 * A schedule determines everything that happens in a run: the calls of clients, and the fate of each attempt to reach the database.
 * The same schedule always produces the same trace. Times are milliseconds of the virtual clock.
 */

/** The fate of one attempt to reach the database. */
export interface Fate {
  /** The delays after which the database receives the request: one, several or none. */
  deliveries: number[];
  answer: AnswerKind;
  /** How long the response takes, from the first delivery or, without a delivery, from the attempt. */
  answerDelay: number;
  /** Kills the environment after it has sent the request, or instead of delivering the response. */
  kill?: "sent" | "answered";
}

export const answerKinds = [
  ...(["delivered", "lost", "reset", "replaced", "wrong checksum"] as const),
  ...(["throttled", "internal error", "expired token"] as const),
];

/** `reset` stands for every broken connection. In a `conflict`, a transaction is writing the item at the same moment. */
export type AnswerKind = (typeof answerKinds)[number] | "conflict";

export const keyNames = ["one", "two"] as const;
export type KeyName = (typeof keyNames)[number];
export type Letter = "a" | "b" | "c";
/** The token of the setup, the trusted workload, or the token that an earlier operation issued (by the operation's id). */
export type TokenReference = "setup" | "trust" | number;
export type Door = "api" | "admin";

/** Where a client calls from: the address of all clients, or another address. */
export type Place = "home" | "away";

interface Conditional {
  /** Sends an `ETag` of the key that a client has seen, which is current or outdated. Only the API supports this. */
  ifUnchanged?: boolean;
}

/** The terms of a trust. An address of `null` allows any address. */
interface Terms {
  limit?: number | null;
  expiresAfter?: number | null;
  ip?: string | null;
  tokenSeconds?: number;
}

/** A call with a token, or about one. */
type TokenCall =
  | { kind: "create"; key: KeyName; letter: Letter; door: Door }
  | ({ kind: "replace"; key: KeyName; letter: Letter; door: Door } & Conditional)
  | ({ kind: "delete"; key: KeyName; door: Door } & Conditional)
  | { kind: "get"; key: KeyName; door: Door }
  | { kind: "list"; door: Door }
  /** Reads one key: the first page of a list, or the page after that of an earlier operation. */
  | { kind: "page"; after?: number }
  | { kind: "use"; as: "itself" | "wrong address" | "wrong secret" }
  /** Changes the fields that are given. */
  | { kind: "update"; limit?: number | null; expiresAfter?: number | null }
  | { kind: "rotate"; graceSeconds: number }
  | { kind: "dismiss" | "restore"; ip: string }
  | { kind: "revoke" }
  | { kind: "inspect" }
  /** The token is the invitation, given by the id of the operation that created it. */
  | { kind: "redeem"; from: Place }
  | { kind: "rotate own"; from: Place; graceSeconds: number }
  | { kind: "move" | "leave"; from: Place };

export type Call =
  | (TokenCall & { token: TokenReference })
  | { kind: "issue"; limit: number | null; expiresAfter: number | null }
  | { kind: "tokens" }
  /** Prepares the tombstones of deleted keys for their deletion. */
  | { kind: "daily run" }
  /** Invites a client whose address is known, or one whose address has to be confirmed. */
  | { kind: "invite"; isKnown: boolean; expiresAfter?: number | null; validSeconds?: number }
  /** One of a few JWTs that the workload received at the beginning. */
  | { kind: "exchange"; token: "trust"; from: Place; jwt: number }
  | ({ kind: "create_trust" | "update_trust"; token: "trust" } & Terms)
  | { kind: "end_trust" | "end_trust_tokens"; token: "trust" }
  /** Decides the request of an earlier operation, as shown in its response or with a mistake. */
  | { kind: "confirm" | "reject"; asked: number; as: "shown" | "another address" | "another code" }
  | RecordCall;

export interface Operation {
  id: number;
  /** The operations of one client follow each other. Those of different clients overlap. */
  client: number;
  /** Starts the operation together with this one, rather than after its client's previous one. */
  beside?: number;
  /** The environment that serves the operation, unless the environment is busy. */
  environment: number;
  /** The pause before the operation, after the client's previous operation or after the start. */
  pause: number;
  call: Call;
  /** The fates in the order of the attempts. Later attempts and their responses arrive at once. */
  fates: Fate[];
}

export interface Schedule {
  seed: number;
  setup: {
    keys: KeyName[];
    /** Keys that were deleted hours ago, so that their tombstones are due for deletion. */
    forgotten: KeyName[];
    limit: number | null;
    /** Whether a workload is trusted. */
    isTrusted: boolean;
    /** How often the token and the keys have been changed before. */
    changes: number;
    /** Records that have existed for hours. */
    records: RecordName[];
  };
  /** Whether the calls are made to the stores of records, rather than to the service. */
  isOfRecords?: boolean;
  /** How long the indexes take to know a write, for one write after the other. */
  indexDelays?: number[];
  /**
   * When the database deletes expired items, in milliseconds after the beginning. If the list is not empty, the database also
   * deletes them before the final calls.
   */
  deletions: number[];
  /** How far the clock of each environment is ahead. */
  clockOffsets: number[];
  operations: Operation[];
}

export const emptySetup: Schedule["setup"] = {
  keys: [],
  forgotten: [],
  records: [],
  limit: null,
  isTrusted: false,
  changes: 0,
};

/** Returns a schedule that begins with an empty database, on one environment. */
export const plainSchedule = (seed: number, operations: Operation[]): Schedule => ({
  seed,
  setup: emptySetup,
  deletions: [],
  clockOffsets: [0],
  operations,
});

/** An attempt that arrives at once, as does its response. */
export const promptFate: Fate = { deliveries: [2], answer: "delivered", answerDelay: 2 };
