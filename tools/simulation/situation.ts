import type { Item } from "cdk-local-runner/database";
import { strongTag } from "../../lambdas/http/entity-tags.ts";
import { versionOf } from "../../lambdas/resources/keys/key-version.ts";
import type { Letter, Place, TokenReference } from "./schedule.ts";

/** The address of all clients, and one that no token belongs to. */
export const clientAddress = "198.51.100.7";
export const otherAddress = "203.0.113.9";

export const addressOf = (place: Place): string => (place === "home" ? clientAddress : otherAddress);

export const vCodeOf = (letter: Letter): string => letter.repeat(64);

/** The `ETag` of a stored key; `undefined` if there is none, or only its tombstone. */
export const etagOf = (item: Item | undefined): string | undefined =>
  item?.v_code && strongTag(versionOf({ updated_at: item.updated_at?.S ?? "" }));

/** A log line as CloudWatch Logs delivers it. */
export interface LogLine {
  id: string;
  timestamp: number;
  message: string;
}

export interface TokenInHand {
  token_id: string;
  text: string;
  /** The address that it is bound to. */
  ip: string;
  isInvitation: boolean;
}

/** A request for confirmation, as a client has been shown it. */
export interface RequestInSight {
  token_id: string;
  ip: string;
  code: string;
}

/** The state of the run that an invocation of a function needs. */
export interface Situation {
  tokenOf(reference: TokenReference): TokenInHand | undefined;
  /** The request for confirmation in the response to an operation. */
  requestOf(operation: number): RequestInSight | undefined;
  /** The lines of a batch; undefined if there are none. */
  batchOf(batch: number): LogLine[] | undefined;
  now(): number;
}
