import type { Author, ChangeNote } from "../history/change-entry.ts";
import type { TokenChangeKind } from "../history/change-kinds.ts";
import { beganAt } from "./life-cycle.ts";
import { hashSecret } from "./token-secret.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import type { TokenText } from "./token-text.ts";

interface Successor {
  text: TokenText;
  /** The random value from which the text was derived, if it was derived. */
  repeat_nonce?: string;
  /** The address that the successor works from. */
  ip: string;
  /** Who rotates or moves the token, as its records name them, and when. */
  by: string;
  now: string;
  author: Author;
  /** How long the old token keeps working, unless it ends earlier. */
  graceSeconds: number;
}

/** The successor; or the old token as it is now, and the failure if its record does not show why it was not ended. */
type Succession =
  | { made: true; successor: TokenRecord }
  | { made: false; current: TokenRecord | undefined; failure?: unknown };

/** The store operations that a succession needs. */
export type SuccessionStore = Pick<TokenStore, "insert" | "rotate" | "settle" | "revoke">;

/**
 * Stores a successor on the terms of the old token, and ends the old one.
 *
 * The successor is stored before the old token is ended: a failure in between leaves a token whose text nobody has, never
 * a client without a token. The old token is ended only if nobody else has ended or edited it meanwhile, because the successor
 * has the old terms; the loser of that race revokes its own successor again.
 */
export const succeed = async (
  tokens: SuccessionStore,
  old: TokenRecord,
  { text, repeat_nonce, ip, by, author, now, graceSeconds }: Successor,
): Promise<Succession> => {
  const successor: TokenRecord = {
    token_id: text.token_id,
    secret_hash: hashSecret(text.secret),
    ip,
    comment: old.comment,
    issued_at: now,
    issued_by: by,
    predecessor_id: old.token_id,
    limit_id: old.limit_id ?? old.token_id,
    ...(repeat_nonce !== undefined && { repeat_nonce }),
    ...(old.rate_limit !== undefined && { rate_limit: old.rate_limit }),
    ...(old.dismissed_addresses !== undefined && { dismissed_addresses: old.dismissed_addresses }),
    ...(old.expires_at !== undefined && { expires_at: plusLifetime(now, beganAt(old), old.expires_at) }),
  };
  const { token_id: successor_id } = successor;
  await tokens.insert(successor, { kind: "succeeded", author, details: { predecessor_id: old.token_id, ip } });

  let failure: unknown;
  const rotation = {
    expires_at: earlier(plusSeconds(now, graceSeconds), old.expires_at),
    rotated_at: now,
    rotated_by: by,
    successor_id,
  };
  const note: ChangeNote<TokenChangeKind> =
    ip === old.ip
      ? { kind: "rotated", author, details: { successor_id, expires_at: rotation.expires_at } }
      : { kind: "moved", author, details: { successor_id, ip } };
  const rotated = await tokens.rotate(old, rotation, note).catch((error: unknown) => {
    failure = error;
  });
  if (rotated?.made) return { made: true, successor };

  // After a failure, an attempt may still be under way. The successor must not be revoked before that has been ruled out.
  const current = rotated ? rotated.token : await tokens.settle(old.token_id);
  if (current?.successor_id === successor_id) return { made: true, successor };
  await tokens.revoke(successor_id, { revoked_at: new Date().toISOString(), revoked_by: by }, author);
  return { made: false, current, failure };
};

// Times are compared as text, which does not work for a year of five digits.
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

const plusSeconds = (time: string, seconds: number): string =>
  new Date(Math.min(Date.parse(time) + seconds * 1000, lastTime)).toISOString();

const plusLifetime = (now: string, began: string, expiresAt: string): string =>
  plusSeconds(now, (Date.parse(expiresAt) - Date.parse(began)) / 1000);

const earlier = (time: string, other: string | undefined): string =>
  other !== undefined && other < time ? other : time;
