import { present } from "../../shared/present.ts";
import type { Author, ChangeNote } from "../history/change-entry.ts";
import type { TokenChangeKind } from "../history/change-kinds.ts";
import { beganAt } from "./life-cycle.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import { hashSecret, type TokenParts } from "./token-value.ts";

interface Successor {
  parts: TokenParts;
  /** The random value that the secret was derived with, if it was derived. */
  repeat_nonce?: string;
  /** The address that the successor will work from. */
  ip: string;
  /** Who rotates or moves the token, as the records name them, and when. */
  by: string;
  now: string;
  author: Author;
  /** How long the old token keeps working, unless it ends sooner. */
  graceSeconds: number;
}

/**
 * If made: the successor and the end of the old token. Otherwise: the old token's current record, and the error if there was one.
 */
type Succession =
  | { made: true; successor: TokenRecord; oldEndsAt: string }
  | { made: false; current: TokenRecord | undefined; failure?: unknown };

/** The store operations that `succeed` needs. */
export type SuccessionStore = Pick<TokenStore, "insert" | "rotate" | "settle" | "revoke">;

/**
 * Stores a successor on the old token's terms, and ends the old token.
 *
 * The successor is stored first. A failure in between can therefore leave a token whose value nobody has, but never a client
 * without a token. The old token is only ended if nobody has ended or edited it in the meantime, because the successor has the old
 * terms. Otherwise the successor is revoked again.
 */
export const succeed = async (
  tokens: SuccessionStore,
  old: TokenRecord,
  { parts, repeat_nonce, ip, by, author, now, graceSeconds }: Successor,
): Promise<Succession> => {
  const expires_at = endOfSuccessor(old, now);
  const { client, rate_limit, dismissed_addresses, end_set_at, trust_id, trusted_at } = old;
  const successor: TokenRecord = {
    token_id: parts.token_id,
    secret_hash: hashSecret(parts.secret),
    ip,
    comment: old.comment,
    issued_at: now,
    changed_at: now,
    issued_by: by,
    predecessor_id: old.token_id,
    limit_id: old.limit_id ?? old.token_id,
    ...present({ repeat_nonce, expires_at }),
    ...present({ client, rate_limit, dismissed_addresses, end_set_at, trust_id, trusted_at }),
  };
  const { token_id: successor_id } = successor;
  await tokens.insert(successor, { kind: "succeeded", author, details: { predecessor_id: old.token_id, ip } });

  const oldEndsAt = endOfGrace(old, { now, graceSeconds });
  const note: ChangeNote<TokenChangeKind> =
    ip === old.ip
      ? { kind: "rotated", author, details: { successor_id, expires_at: oldEndsAt } }
      : { kind: "moved", author, details: { successor_id, ip } };
  const rotation = { expires_at: oldEndsAt, rotated_at: now, rotated_by: by, successor_id };
  const { current, failure } = await endOld(tokens, old, rotation, note);
  if (current?.successor_id === successor_id) return { made: true, successor, oldEndsAt };
  await tokens.revoke(successor_id, { revoked_at: new Date().toISOString(), revoked_by: by }, author);
  return { made: false, current, failure };
};

/** Tries to end the old token. Returns its current record. Afterwards, no late attempt to end the token can take effect. */
const endOld = async (
  tokens: SuccessionStore,
  ...rotation: Parameters<TokenStore["rotate"]>
): Promise<{ current: TokenRecord | undefined; failure?: unknown }> => {
  try {
    return { current: (await tokens.rotate(...rotation)).token };
  } catch (failure) {
    const [{ token_id }] = rotation;
    return { current: await tokens.settle(token_id), failure };
  }
};

/**
 * Returns when a token ends if it is rotated, or rotated again with another grace period. It is never later than its previous end.
 */
export const endOfGrace = (
  { expires_at }: TokenRecord,
  { now, graceSeconds }: Pick<Successor, "now" | "graceSeconds">,
): string => {
  const end = plusSeconds(now, graceSeconds);
  return expires_at !== undefined && expires_at < end ? expires_at : end;
};

/**
 * Returns the end of a successor. The successor lives as long as its predecessor, but not beyond an earlier end that an admin has
 * set.
 */
const endOfSuccessor = (old: TokenRecord, now: string): string | undefined => {
  const { expires_at, end_set_at } = old;
  if (expires_at === undefined || end_set_at !== undefined) return expires_at;
  return plusSeconds(now, (Date.parse(expires_at) - Date.parse(beganAt(old))) / 1000);
};

// Times are compared as strings, which does not work for five-digit years.
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

const plusSeconds = (time: string, seconds: number): string =>
  new Date(Math.min(Date.parse(time) + seconds * 1000, lastTime)).toISOString();

/**
 * Ends a token that the caller has `seen`. If the token has got a successor since, that successor comes from a concurrent rotation
 * or move. It ends too, together with its own successors. A successor that was already seen keeps working.
 *
 * @returns the token's current record; `undefined` if it is gone
 */
export const revokeToken = async (
  tokens: Pick<TokenStore, "revoke">,
  { token_id, successor_id: known }: Pick<TokenRecord, "token_id" | "successor_id">,
  { by, author }: Pick<Successor, "by" | "author">,
): Promise<TokenRecord | undefined> => {
  const { token } = await tokens.revoke(token_id, { revoked_at: new Date().toISOString(), revoked_by: by }, author);
  const successor_id = token?.successor_id;
  if (known === undefined && successor_id !== undefined)
    await revokeToken(tokens, { token_id: successor_id }, { by, author });
  return token;
};
