import { newUlid } from "../../../shared/ulid.ts";
import { requestIn } from "../address-request.ts";
import { factsOf, type Holder } from "../authenticate.ts";
import { phaseOf } from "../life-cycle.ts";
import { endOfGrace, type SuccessionStore, succeed } from "../succession.ts";
import { longestGraceSeconds } from "../token-limits.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { deriveSecret, formatTokenValue, newNonce } from "../token-value.ts";
import {
  clientActor,
  type Issued,
  type Refused,
  type Requested,
  refuse,
  repeatedValue,
  requestAddress,
  type Succeeded,
  untilMade,
} from "./client-changes.ts";

type RotationRefusal = "token_expired" | "token_revoked" | "ip_not_allowed" | "token_already_rotated";

type Rotated = Succeeded | Refused<RotationRefusal>;

/** Rotates the caller's token. This works only from the token's own address. */
export const rotateOwnToken = (
  { token, ip, secret, author }: Holder,
  graceSeconds: number,
  tokens: SuccessionStore & Pick<TokenStore, "find">,
): Promise<Rotated> =>
  untilMade<Rotated>(token, async (record, now) => {
    const facts = factsOf(record, ip);
    const phase = phaseOf(record, now);
    if (phase === "revoked") return refuse("token_revoked", { facts });
    const request = { ip, secret, author, now, graceSeconds };
    if (ip === record.ip && record.successor_id !== undefined) return repeatSuccessor(tokens, record, request);
    if (phase === "expired" || phase === "replaced") return refuse("token_expired", { facts });
    if (ip !== record.ip) return refuse("ip_not_allowed", { values: { ip }, facts });
    return issueSuccessor(tokens, record, request);
  });

type MoveRefusal =
  | "token_expired"
  | "token_revoked"
  | "ip_not_allowed"
  | "request_rejected"
  | "token_already_rotated"
  | "move_not_needed"
  | "too_many_requests";

type Moved = Issued | Requested | Refused<MoveRefusal>;

/**
 * Moves a token to the caller's address. Until an admin has confirmed the address, requests a confirmation. Then issues a successor
 * for the new address and ends the old token.
 */
export const moveToken = (
  { token, ip, secret, author }: Holder,
  tokens: SuccessionStore & Pick<TokenStore, "find" | "request">,
): Promise<Moved> =>
  untilMade<Moved>(token, async (record, now) => {
    const facts = factsOf(record, ip);
    const phase = phaseOf(record, now);
    if (phase === "revoked") return refuse("token_revoked", { facts });
    if (record.successor_id !== undefined) {
      // The successor may come from a rotation. A move does not change the grace period of a rotation.
      return repeatSuccessor(tokens, record, { ip, secret, author, now, graceSeconds: longestGraceSeconds });
    }
    if (phase === "expired") return refuse("token_expired", { facts });
    if (ip === record.ip) return refuse("move_not_needed", { values: { ip }, facts });

    if (phase !== "move_confirmed") return requestAddress(tokens, record, { ip, author, now });
    // Someone else who has the secret must not be able to undo an admin's confirmation.
    if (requestIn(record)?.ip !== ip) return refuse("ip_not_allowed", { values: { ip }, facts });
    return issueSuccessor(tokens, record, { ip, secret, author, now, graceSeconds: 0 });
  });

interface Request extends Omit<Holder, "token" | "client"> {
  now: string;
  graceSeconds: number;
}

/** Issues a successor for the caller's address. Its value is derived from the caller's secret. */
export const issueSuccessor = async (
  tokens: SuccessionStore,
  old: TokenRecord,
  { ip, secret, author, now, graceSeconds }: Request,
) => {
  const repeat_nonce = newNonce();
  const parts = deriveSecret(secret, { token_id: newUlid(), nonce: repeat_nonce });
  const by = clientActor(old, ip);
  const succession = await succeed(tokens, old, { parts, repeat_nonce, ip, by, author, now, graceSeconds });
  if (succession.made) {
    const { successor, oldEndsAt } = succession;
    return { outcome: "issued" as const, token: successor, value: formatTokenValue(parts), oldEndsAt };
  }
  if (succession.failure !== undefined) throw succession.failure;
  return { current: succession.current };
};

/**
 * Returns the value of a token's existing successor if the response may have been lost; otherwise rejects the request. A shorter
 * grace period than before ends the token sooner.
 */
export const repeatSuccessor = async (
  tokens: Pick<TokenStore, "find" | "rotate">,
  old: TokenRecord,
  { ip, secret, author, now, graceSeconds }: Request,
) => {
  const { successor_id = "", rotated_at = now, rotated_by = author.by } = old;
  const successor = await tokens.find(successor_id);
  const value = repeatedValue(successor, { secret, ip }, now);
  if (!successor || value === undefined) {
    const facts = factsOf(old, ip);
    return phaseOf(old, now) === "rotated"
      ? refuse("token_already_rotated", { values: { successor_id }, facts })
      : refuse("token_expired", { facts });
  }
  const oldEndsAt = endOfGrace(old, { now, graceSeconds });
  if (oldEndsAt !== old.expires_at) {
    const rotation = { expires_at: oldEndsAt, rotated_at, rotated_by, successor_id };
    const note = { kind: "rotated" as const, author, details: { successor_id, expires_at: oldEndsAt } };
    const { made, token } = await tokens.rotate(old, rotation, note);
    if (!made) return { current: token };
  }
  return { outcome: "issued" as const, token: successor, value, oldEndsAt };
};
