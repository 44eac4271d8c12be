import { optional, text, textOfLength, time, wholeNumber } from "../../dynamodb/formats.ts";
import type { StoredHistory } from "../../dynamodb/history.ts";
import type { RecordOf } from "../../dynamodb/records.ts";
import type { ChangedItems, ChangedRequest, PageRequest } from "../../dynamodb/table.ts";
import type { Author, ChangeNote } from "../history/change-entry.ts";
import type { TokenChangeKind } from "../history/change-kinds.ts";
import { isAddressRequest } from "./address-request.ts";
import { areDismissedAddresses } from "./dismissed-addresses.ts";
import { isCanonicalIp } from "./ip-address.ts";
import { commentLength, issuerLength, limitRange, subjectLength, trustedTokenSeconds } from "./token-limits.ts";
import { isHash, isNonce, isTokenId } from "./token-text.ts";

const tokenId = text({
  description: "the id of a token",
  isValid: isTokenId,
});

const hash = text({ description: "a SHA-256 in base64url", isValid: isHash });

/** The fields of a token's record. Times are RFC 3339, UTC, with milliseconds; an absent one means that it has not happened yet. */
export const tokenFields = {
  /** ULID: the public half of the token's text. */
  token_id: tokenId,
  /** SHA-256 of the secret, base64url. The secret itself is never stored. */
  secret_hash: hash,
  /** The one address that may use the token, canonical (RFC 5952); `unknownIp` while no address is known. */
  ip: text({ description: "a canonical IP address", isValid: isCanonicalIp }),
  comment: textOfLength(commentLength),
  issued_at: time,
  issued_by: text(),
  /** When this record was last changed, other than by a use, by a clock that never goes back. */
  changed_at: time,
  /** When the token expires, or the invitation until it is redeemed; absent if the token never expires. */
  expires_at: optional(time),
  /** When an admin brought the expiry forward: no successor lives beyond it. Absent if successors get a lifetime of their own. */
  end_set_at: optional(time),
  /** SHA-256 of the secret of the invitation that the token began as, base64url; and until when it could be redeemed. */
  invitation_hash: optional(hash),
  invitation_ends_at: optional(time),
  /** When the invitation became a token. */
  redeemed_at: optional(time),
  /** When the token that the invitation becomes will expire; absent if it never will. */
  token_expires_at: optional(time),
  /** A random value from which the token's text was derived, until its first use: see `deriveSecret`. */
  repeat_nonce: optional(text({ description: "a random value", isValid: isNonce })),
  /** The last request to use the token from an address that no admin has named, as JSON: see `requestIn`. */
  request: optional(text({ description: "a JSON request for an address", isValid: isAddressRequest })),
  /** How many requests it may send per minute; absent if unlimited. */
  rate_limit: optional(wholeNumber(limitRange)),
  /** The token whose allowance it shares: the first one of a series of rotations. Absent if it has its own. */
  limit_id: optional(tokenId),
  /** When an admin last edited it, and who. */
  updated_at: optional(time),
  updated_by: optional(text()),
  /** Wrong addresses that an admin has recognised, as JSON: see `dismissedIn`. */
  dismissed_addresses: optional(
    text({ description: "a JSON list of dismissed addresses", isValid: areDismissedAddresses }),
  ),
  /** The token that this one replaced by a rotation. */
  predecessor_id: optional(tokenId),
  rotated_at: optional(time),
  rotated_by: optional(text()),
  /** The token that replaced this one by a rotation. */
  successor_id: optional(tokenId),
  revoked_at: optional(time),
  revoked_by: optional(text()),
  /** When a request last used this token, to within five minutes: see `recordUse`. */
  last_used_at: optional(time),
  /** The trust whose workload got this token for its JWT: see `trust.ts`. */
  trust_id: optional(tokenId),
  /**
   * Of a trust: the last change that ended its tokens, by a clock that never goes back. Of a token: the same time of its trust when
   * the token was made.
   */
  trusted_at: optional(time),
  /** Only of a trust: since when its issuer cannot be asked for its keys. */
  unreachable_since: optional(time),
  /** Only of a trust: whose JWTs it accepts, and how long their tokens live. */
  issuer: optional(textOfLength(issuerLength)),
  subject: optional(textOfLength(subjectLength)),
  token_seconds: optional(wholeNumber(trustedTokenSeconds)),
};

export type TokenRecord = RecordOf<typeof tokenFields>;

export interface TokenPage {
  tokens: TokenRecord[];
  /** The `token_id` after which the next page begins; absent on the last page. */
  next?: string | undefined;
}

/** The fields that a rotation writes to the record of the old token. */
export type Rotation = Required<Pick<TokenRecord, "expires_at" | "rotated_at" | "rotated_by" | "successor_id">>;

/** The fields that an invitation's redemption writes to its record. */
export interface Redemption extends Required<Pick<TokenRecord, "secret_hash" | "redeemed_at" | "repeat_nonce">> {
  expires_at: string | null;
}

/** The terms of a trust: see `trust.ts`. `null` stands for none. */
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
  /** The address to which a confirmation binds an invitation. */
  ip?: string;
}

/** The new values of fields of an active token. `null` removes a field; a field that is not given stays unchanged. */
export interface TokenUpdate extends Partial<Pick<TokenRecord, "updated_at" | "updated_by">> {
  comment?: string | undefined;
  expires_at?: string | null | undefined;
  end_set_at?: string | null | undefined;
  rate_limit?: number | null | undefined;
  dismissed_addresses?: string | null | undefined;
}

/** Whether a change of a token was made, and the record as it is now; `undefined` if there is none. */
export interface TokenChange {
  made: boolean;
  token: TokenRecord | undefined;
}

/** The facts about a change for the history of a token. */
type Note = ChangeNote<TokenChangeKind>;

export interface TokenStore {
  /** Strongly consistent, so that a revocation holds from the very next look-up. */
  find(tokenId: string): Promise<TokenRecord | undefined>;
  list(page: Pick<PageRequest, "limit" | "after" | "unreadable">): Promise<TokenPage>;
  /** The history of a token; `undefined` if there is no such token. */
  history(tokenId: string): Promise<StoredHistory | undefined>;
  insert(record: TokenRecord, note: Note): Promise<void>;
  /** Stores the token for a JWT, whose id follows from the JWT, unless there is one. */
  exchange(record: TokenRecord, note: Note): Promise<TokenChange>;
  /** Whether any trust in an issuer lasts beyond a time (RFC 3339, UTC, ms). A new one may be missed for a second. */
  trustsIssuer(issuer: string, now: string): Promise<boolean>;
  /**
   * Stores a trust whose id follows from its issuer and subject, in place of one that has ended. Its `trusted_at` becomes the time
   * of this change, so no token of an earlier trust works again.
   */
  trust(record: TokenRecord, note: Note): Promise<TokenChange>;
  /** Changes the terms of a trust, or ends it, if its record is still `seen`. If the trust is moved to another address, or if
   * told to, ends its tokens for good. */
  changeTrust(
    seen: TokenRecord,
    change: Partial<TrustTerms> & { endsTokens?: boolean },
    note: Note,
  ): Promise<TokenChange>;
  /** Records whether the issuer of a trust could be asked for its keys at a time (RFC 3339, UTC, ms). */
  noteIssuer(trustId: string, isReachable: boolean, now: string): Promise<void>;
  /**
   * Changes an active token. The end of a rotated token cannot be changed.
   *
   * @param seen the record that the change is based on: it is only made if the record is still the same
   */
  update(tokenId: string, update: TokenUpdate, note: Note, seen?: TokenRecord): Promise<TokenChange>;
  /** Makes an invitation a token, if its record is still `seen`. */
  redeem(seen: TokenRecord, redemption: Redemption, author: Author): Promise<TokenChange>;
  /** Notes a client's request for another address, or the decision about it, if the record is still `seen`. */
  request(seen: TokenRecord, change: RequestChange, note: Note): Promise<TokenChange>;
  /** Ends a token in favour of a successor, which it may already have, if its record is still `seen`. */
  rotate(seen: TokenRecord, rotation: Rotation, note: Note): Promise<TokenChange>;
  /** Ends a token, or an invitation, at once. */
  revoke(tokenId: string, by: { revoked_at: string; revoked_by: string }, author: Author): Promise<TokenChange>;
  /** Makes sure that no earlier attempt to change a token can take effect any more, and returns the record. Not in the history. */
  settle(tokenId: string): Promise<TokenRecord | undefined>;
  /**
   * Records when a token was last used, unless its record is gone or has a later time, and removes the nonce from which its
   * text was derived. Gives up after a second.
   */
  recordUse(tokenId: string, usedAt: string): Promise<void>;
  /** A step through the tokens of a shard, the most recently changed first. Eventually consistent. */
  changed(request: ChangedRequest): Promise<ChangedItems>;
}
