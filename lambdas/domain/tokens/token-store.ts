import * as z from "zod/mini";
import type { ChangedItems, ChangedRequest, StoredHistory } from "../../dynamodb/change-history.ts";
import type { PageRequest } from "../../dynamodb/table.ts";
import { id, text, textThat, time, wholeNumber } from "../../shared/validation/fields.ts";
import { jsonText } from "../../shared/validation/json-text.ts";
import type { Author, ChangeNote } from "../history/change-entry.ts";
import type { TokenChangeKind } from "../history/change-kinds.ts";
import { addressRequest } from "./address-request.ts";
import { areDismissedAddresses } from "./dismissed-addresses.ts";
import { storedIp } from "./stored-ip.ts";
import {
  clientLength,
  commentLength,
  issuerLength,
  limitRange,
  subjectLength,
  trustedTokenSeconds,
} from "./token-limits.ts";
import { isHash, isNonce, isTokenId } from "./token-value.ts";

const tokenId = textThat(isTokenId, "must be the id of a token.");

const hash = textThat(isHash, "must be a SHA-256 in base64url.");

/**
 * The fields of a token's record. Times are RFC 3339 in UTC, with milliseconds. An absent time means that the event has not
 * happened.
 */
export const tokenSchema = z.object({
  /** ULID: the public half of the token. */
  token_id: tokenId,
  /** SHA-256 of the secret, base64url. The secret itself is never stored. */
  secret_hash: hash,
  /** The only address that may use the token, canonical (RFC 5952); `unknownIp` until an address is known. */
  ip: storedIp,
  comment: text(commentLength),
  /** The client that the token belongs to. Set when the record is created, copied to every successor, and never changed. */
  client: z.exactOptional(id(clientLength)),
  issued_at: time(),
  issued_by: z.string(),
  /** When this record was last changed by anything other than a use. Never moves backwards. */
  changed_at: time(),
  /** When the token expires, or the invitation if it has not been redeemed; absent if the token never expires. */
  expires_at: z.exactOptional(time()),
  /** When an admin set an earlier expiry, beyond which no successor may live. Absent if successors get their own lifetime. */
  end_set_at: z.exactOptional(time()),
  /** SHA-256 (base64url) of the secret of the invitation that the token began as, and the time until which it could be redeemed. */
  invitation_hash: z.exactOptional(hash),
  invitation_ends_at: z.exactOptional(time()),
  /** When the invitation was exchanged for a token. */
  redeemed_at: z.exactOptional(time()),
  /** When the token that results from the invitation will expire; absent if never. */
  token_expires_at: z.exactOptional(time()),
  /** The random value that the token's secret was derived with, kept until the token's first use: see `deriveSecret`. */
  repeat_nonce: z.exactOptional(textThat(isNonce, "must be a random value.")),
  /** The last request to use the token from an address that no admin has set, as JSON: see `requestIn`. */
  request: z.exactOptional(jsonText(addressRequest, "a request for an address")),
  /** Maximum requests per minute; absent if unlimited. */
  rate_limit: z.exactOptional(wholeNumber(limitRange)),
  /** The token whose allowance it shares: the first in a series of rotations. Absent if it has its own allowance. */
  limit_id: z.exactOptional(tokenId),
  /** When an admin last edited it, and which admin. */
  updated_at: z.exactOptional(time()),
  updated_by: z.exactOptional(z.string()),
  /** Wrong addresses that an admin has recognised, as JSON: see `dismissedIn`. */
  dismissed_addresses: z.exactOptional(textThat(areDismissedAddresses, "must be a JSON list of dismissed addresses.")),
  /** The token that this token replaced in a rotation. */
  predecessor_id: z.exactOptional(tokenId),
  rotated_at: z.exactOptional(time()),
  rotated_by: z.exactOptional(z.string()),
  /** The token that replaced this token in a rotation. */
  successor_id: z.exactOptional(tokenId),
  revoked_at: z.exactOptional(time()),
  revoked_by: z.exactOptional(z.string()),
  /** When a request last used this token, accurate to five minutes: see `recordUse`. */
  last_used_at: z.exactOptional(time()),
  /** The trust whose workload got this token for a JWT: see `trust.ts`. */
  trust_id: z.exactOptional(tokenId),
  /**
   * In a trust: the last change that ended its tokens; never moves backwards. In a token: the trust's `trusted_at` when the token
   * was created.
   */
  trusted_at: z.exactOptional(time()),
  /** Only in a trust: since when its issuer's keys could not be fetched. */
  unreachable_since: z.exactOptional(time()),
  /** Only in a trust: whose JWTs it accepts, and the lifetime of its tokens. */
  issuer: z.exactOptional(text(issuerLength)),
  subject: z.exactOptional(text(subjectLength)),
  token_seconds: z.exactOptional(wholeNumber(trustedTokenSeconds)),
});

export type TokenRecord = z.output<typeof tokenSchema>;

export interface TokenPage {
  tokens: TokenRecord[];
  /** The `token_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
}

/** The fields that a rotation writes to the old token's record. */
export type Rotation = Required<Pick<TokenRecord, "expires_at" | "rotated_at" | "rotated_by" | "successor_id">>;

/** The fields that redeeming an invitation writes to its record. */
export interface Redemption extends Required<Pick<TokenRecord, "secret_hash" | "redeemed_at" | "repeat_nonce">> {
  expires_at: string | null;
}

/** The terms of a trust: see `trust.ts`. `null` means none. */
export interface TrustTerms extends Required<Pick<TokenRecord, "ip" | "comment" | "token_seconds">> {
  rate_limit: number | null;
  expires_at: string | null;
  updated_at: string;
  updated_by: string;
  revoked_at: string;
  revoked_by: string;
}

/** The fields that a client's request, or an admin's decision about it, writes to a record. */
export interface RequestChange extends Required<Pick<TokenRecord, "request">> {
  /** The address that a confirmation binds an invitation to. */
  ip?: string;
}

/** New values for fields of an active token. `null` removes a field; a missing field stays unchanged. */
export interface TokenUpdate extends Partial<Pick<TokenRecord, "updated_at" | "updated_by">> {
  comment?: string | undefined;
  expires_at?: string | null | undefined;
  end_set_at?: string | null | undefined;
  rate_limit?: number | null | undefined;
  dismissed_addresses?: string | null | undefined;
}

/** Whether a change to a token was made, and the current record; `undefined` if there is none. */
export interface TokenChange {
  made: boolean;
  token: TokenRecord | undefined;
}

/** Details of a change for the token's history. */
type Note = ChangeNote<TokenChangeKind>;

export interface TokenStore {
  /** Reads a token. Strongly consistent, so that a revocation applies from the very next lookup. */
  find(tokenId: string): Promise<TokenRecord | undefined>;
  list(page: Pick<PageRequest, "limit" | "after" | "unreadable">): Promise<TokenPage>;
  /** Returns a token's history; `undefined` if there is no such token. */
  history(tokenId: string): Promise<StoredHistory | undefined>;
  insert(record: TokenRecord, note: Note): Promise<void>;
  /** Stores the token for a JWT unless it already exists. Its id is derived from the JWT. */
  exchange(record: TokenRecord, note: Note): Promise<TokenChange>;
  /**
   * Checks whether any trust in an issuer lasts beyond a given time (RFC 3339, UTC, ms). A trust created within the last second may
   * be missed.
   */
  trustsIssuer(issuer: string, now: string): Promise<boolean>;
  /**
   * Stores a trust, unless one already exists that has not ended. Its id is derived from its issuer and subject. Its `trusted_at`
   * becomes the time of this change, so that no token of an earlier trust works again.
   */
  trust(record: TokenRecord, note: Note): Promise<TokenChange>;
  /**
   * Changes the terms of a trust, or ends it, if its record is still `seen`. Also ends the trust's tokens permanently if the trust
   * gets another address, or if the caller asks for it.
   */
  changeTrust(
    seen: TokenRecord,
    change: Partial<TrustTerms> & { endsTokens?: boolean },
    note: Note,
  ): Promise<TokenChange>;
  /** Records whether a trust's issuer could be asked for its keys at a given time (RFC 3339, UTC, ms). */
  noteIssuer(trustId: string, isReachable: boolean, now: string): Promise<void>;
  /**
   * Changes an active token. The end of a rotated token cannot be changed.
   *
   * @param seen the record that the change is based on; the change is only made if the record is still the same
   */
  update(tokenId: string, update: TokenUpdate, note: Note, seen?: TokenRecord): Promise<TokenChange>;
  /** Exchanges an invitation for its token, if its record is still `seen`. */
  redeem(seen: TokenRecord, redemption: Redemption, author: Author): Promise<TokenChange>;
  /** Records a client's request for another address, or the decision about it, if the record is still `seen`. */
  request(seen: TokenRecord, change: RequestChange, note: Note): Promise<TokenChange>;
  /** Ends a token in favour of a successor, which it may already have, if its record is still `seen`. */
  rotate(seen: TokenRecord, rotation: Rotation, note: Note): Promise<TokenChange>;
  /** Ends a token or an invitation at once. */
  revoke(tokenId: string, by: { revoked_at: string; revoked_by: string }, author: Author): Promise<TokenChange>;
  /** Prevents earlier attempts to change a token from taking effect, and returns the record. Not recorded in the history. */
  settle(tokenId: string): Promise<TokenRecord | undefined>;
  /**
   * Records when a token was last used, unless its record is gone or has a later time. Also removes the nonce that its secret was
   * derived with. Gives up after a second.
   */
  recordUse(tokenId: string, usedAt: string): Promise<void>;
  /** Reads one step of a shard, most recently changed tokens first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
}
