import { toTime } from "../../../dynamodb/times.ts";
import { present } from "../../../shared/present.ts";
import { factsOf, type Visitor } from "../authenticate.ts";
import { clientActor, type Issued, type Refused, refuse, repeatedValue } from "../by-client/client-changes.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { deriveSecret, formatTokenValue, hashSecret, idFrom, newNonce } from "../token-value.ts";
import { addressOf, asTrust, isTrusted, type Trust, trustIdOf, underTrust } from "../trust.ts";
import { AskedRecently, createIssuerKeys, type GetJson, IssuerUnreachable } from "./issuer-keys.ts";
import { type ClaimedJwt, checkClaims, claimedIn, isSigned, signedPart, unknownSubject } from "./read-jwt.ts";

type Tokens = Pick<TokenStore, "find" | "trustsIssuer" | "exchange" | "noteIssuer">;

type Exchanged =
  | Issued
  | Refused<"jwt_invalid" | "jwt_key_unknown" | "jwt_refused" | "jwt_used" | "ip_not_allowed" | "issuer_unreachable">;

/**
 * Returns a function that exchanges JWTs of trusted workloads for tokens. The returned function caches issuers' keys between calls.
 */
export const createExchange = (getJson: GetJson) => {
  const issuers = new Map<string, ReturnType<typeof createIssuerKeys>>();

  /** Checks whether a JWT was signed by its issuer. */
  const isAuthentic = async ({ jwt, iss, kid }: ClaimedJwt): Promise<boolean> => {
    const issuer = issuers.get(iss) ?? createIssuerKeys(iss, getJson);
    issuers.set(iss, issuer);
    const loads = issuer.loads();
    const keys = await issuer.current();
    if (await isSigned(jwt, keys.find)) return true;
    if (kid !== undefined && keys.hasKey(kid)) return false;
    return isSigned(jwt, (await issuer.after(loads, kid)).find);
  };

  /**
   * Creates a token for a JWT, bound to the address that the JWT was sent from. Each JWT creates only one token: from the same
   * address, it returns the same value until the token's first use, for at most 15 minutes.
   *
   * Reads the subject's trust only if the issuer has signed the JWT, so that nobody else can find out whether there is a trust.
   */
  return async (jwt: string, { ip, baseUrl, requestId }: Visitor, tokens: Tokens): Promise<Exchanged> => {
    const claimed = claimedIn(jwt);
    const now = new Date().toISOString();
    if (!claimed || !(await tokens.trustsIssuer(claimed.iss, now))) return refuse("jwt_invalid", {});
    try {
      if (!(await isAuthentic(claimed))) return refuse("jwt_invalid", {});
    } catch (error) {
      return refusalWithoutKeys(error, claimed, { tokens, now });
    }

    // From here on, the caller is known to hold a JWT from a trusted issuer, so it may learn what is wrong with the JWT.
    const claims = checkClaims(claimed, { audience: baseUrl, now: Date.parse(now) });
    const trust = await readTrust(claimed, { tokens, now });
    if ("claim" in claims) {
      // Admins see the claim among the refusals of the trust.
      const facts = trust && { token_id: trust.token_id, claim: claims.claim };
      return refuse("jwt_refused", { values: { ...claims }, ...(facts && { facts }) });
    }
    if (!trust) return refuse("jwt_refused", { values: { claim: "sub", problem: unknownSubject(claimed.sub) } });
    if (trust.unreachable_since !== undefined) await tokens.noteIssuer(trust.token_id, true, now);
    const isBoundToOther = ![ip, undefined].includes(addressOf(trust));
    if (isBoundToOther) return refuse("ip_not_allowed", { values: { ip }, facts: factsOf(trust, ip) });

    const nonce = newNonce();
    const parts = deriveSecret(jwt, { token_id: idFrom(signedPart(jwt), claims.issuedAt * 1000), nonce });
    const record = tokenUnder(trust, { ...parts, nonce, ip, now });
    const { token_id: trust_id } = trust;
    const author = { by: `token:${trust_id}`, from: ip, requestId };
    const { made, token: found } = await tokens.exchange(record, { kind: "exchanged", author, details: { trust_id } });
    if (made) return { outcome: "issued", token: record, value: formatTokenValue(parts) };
    // Another request with this JWT was faster.
    const token = found && (await underTrust(found, { find: async () => trust }));
    const repeated = repeatedValue(token, { secret: jwt, ip }, now);
    if (token && repeated !== undefined) return { outcome: "issued", token, value: repeated };
    const facts = token && { facts: factsOf(token, ip) };
    return token?.ip === ip ? refuse("jwt_used", { ...facts }) : refuse("ip_not_allowed", { values: { ip }, ...facts });
  };
};

interface Reading {
  tokens: Pick<TokenStore, "find" | "noteIssuer">;
  now: string;
}

/** Returns the trust in the subject of a JWT; `undefined` if there is none or if it has ended. */
const readTrust = async ({ iss, sub }: ClaimedJwt, { tokens, now }: Reading): Promise<Trust | undefined> => {
  const trust = asTrust(await tokens.find(trustIdOf(iss, sub)));
  return trust?.issuer === iss && trust.subject === sub && isTrusted(trust, now) ? trust : undefined;
};

/** Returns the refusal of a JWT whose signature could not be checked, because the issuer's keys could not be loaded. */
const refusalWithoutKeys = async (error: unknown, claimed: ClaimedJwt, { tokens, now }: Reading) => {
  if (error instanceof AskedRecently)
    return refuse("jwt_key_unknown", { headers: { "Retry-After": String(error.retryAfterSeconds) } });
  if (!(error instanceof IssuerUnreachable)) throw error;
  const trust = await readTrust(claimed, { tokens, now });
  if (trust && trust.unreachable_since === undefined) await tokens.noteIssuer(trust.token_id, false, now);
  const facts = { issuer: claimed.iss, ...(trust && { trust_id: trust.token_id }) };
  return refuse("issuer_unreachable", { facts, cause: error.cause });
};

/** Returns the token for a workload. It never outlives its trust, and its successors end when it ends. */
const tokenUnder = (
  trust: Trust,
  { token_id, secret, nonce, ip, now }: { token_id: string; secret: string; nonce: string; ip: string; now: string },
): TokenRecord => {
  const end = toTime(Date.parse(now) + trust.token_seconds * 1000);
  return {
    token_id,
    secret_hash: hashSecret(secret),
    ip,
    comment: trust.comment,
    issued_at: now,
    changed_at: now,
    issued_by: clientActor(trust, ip),
    repeat_nonce: nonce,
    expires_at: trust.expires_at !== undefined && trust.expires_at < end ? trust.expires_at : end,
    end_set_at: now,
    limit_id: trust.token_id,
    trust_id: trust.token_id,
    trusted_at: trust.trusted_at,
    ...present({ client: trust.client, rate_limit: trust.rate_limit }),
  };
};
