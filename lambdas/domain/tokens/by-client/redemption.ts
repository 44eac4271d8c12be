import { factsOf, type Holder } from "../authenticate.ts";
import { unknownIp } from "../ip-address.ts";
import { isUnredeemed, phaseOf } from "../life-cycle.ts";
import type { TokenStore } from "../token-store.ts";
import { deriveSecret, formatTokenValue, hashSecret, newNonce } from "../token-value.ts";
import {
  type Issued,
  type Refused,
  type Requested,
  refuse,
  repeatedValue,
  requestAddress,
  untilMade,
} from "./client-changes.ts";

type RefusalCode =
  | "invitation_expired"
  | "invitation_revoked"
  | "invitation_used"
  | "ip_not_allowed"
  | "request_rejected"
  | "too_many_requests";

type Outcome = Issued | Requested | Refused<RefusalCode>;

/** Exchanges an invitation for its token if the invitation works from the caller's address; otherwise requests a confirmation. */
export const redeemInvitation = (
  { token, ip, secret, author }: Holder,
  tokens: Pick<TokenStore, "redeem" | "request">,
): Promise<Outcome> =>
  untilMade<Outcome>(token, async (record, now) => {
    const facts = factsOf(record, ip);
    const phase = phaseOf(record, now);
    if (phase === "revoked") return refuse("invitation_revoked", { facts });
    if (!isUnredeemed(record)) {
      const value = repeatedValue(record, { secret, ip }, now);
      return value === undefined ? refuse("invitation_used", { facts }) : { outcome: "issued", token: record, value };
    }
    if (phase === "expired") return refuse("invitation_expired", { facts });
    if (record.ip === unknownIp) return requestAddress(tokens, record, { ip, author, now });
    if (record.ip !== ip) return refuse("ip_not_allowed", { values: { ip }, facts });

    const repeat_nonce = newNonce();
    const parts = deriveSecret(secret, { token_id: record.token_id, nonce: repeat_nonce });
    const redemption = {
      secret_hash: hashSecret(parts.secret),
      redeemed_at: now,
      repeat_nonce,
      expires_at: record.token_expires_at ?? null,
    };
    const change = await tokens.redeem(record, redemption, author);
    if (!change.made || !change.token) return { current: change.token };
    return { outcome: "issued", token: change.token, value: formatTokenValue(parts) };
  });
