import { toTime } from "../../../dynamodb/formats.ts";
import { factsOf, type Visitor } from "../authenticate.ts";
import { clientActor, type Issued, type Refused, refuse, repeatedText } from "../by-client/client-changes.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { deriveSecret, formatTokenText, hashSecret, idFrom, newNonce } from "../token-text.ts";
import { addressOf, asTrust, isTrusted, readTrusts, type Trust, trustIdOf, underTrust } from "../trust.ts";
import { createIssuerKeys, type GetJson, IssuerUnreachable } from "./issuer-keys.ts";
import { checkClaims, claimedIn, isSigned, signedPart, unknownSubject } from "./read-jwt.ts";

type Tokens = Pick<TokenStore, "find" | "changed" | "exchange" | "noteIssuer">;

type Exchanged = Issued | Refused<"jwt_invalid" | "jwt_refused" | "jwt_used" | "ip_not_allowed" | "issuer_unreachable">;

/** How long an issuer counts as known after the trusts were read, and as unknown. */
const knownMilliseconds = 60_000;
const unknownMilliseconds = 1_000;

/** Exchanges JWTs of trusted workloads for tokens. What it knows of issuers is kept between calls. */
export const createExchange = (getJson: GetJson) => {
  const keysOf = createIssuerKeys(getJson);
  let issuers = { at: Number.NEGATIVE_INFINITY, all: new Set<string>() };

  /** Whether any trust that has not ended names an issuer. */
  const isKnown = async (issuer: string, tokens: Tokens): Promise<boolean> => {
    const now = Date.now();
    if (now - issuers.at >= (issuers.all.has(issuer) ? knownMilliseconds : unknownMilliseconds)) {
      const trusts = await readTrusts(tokens);
      const live = trusts.filter((trust) => isTrusted(trust, toTime(now)));
      issuers = { at: now, all: new Set(live.map(({ issuer }) => issuer)) };
    }
    return issuers.all.has(issuer);
  };

  /**
   * Makes a token for a JWT, bound to the address that it came from. The same JWT makes only one: from the same address it
   * returns the same text until the token's first use, for at most 15 minutes.
   */
  return async (jwt: string, { ip, host, requestId }: Visitor, tokens: Tokens): Promise<Exchanged> => {
    const claimed = claimedIn(jwt);
    if (!claimed) return refuse("jwt_invalid", {});
    const { iss, sub } = claimed;
    const stored = asTrust(await tokens.find(trustIdOf(iss, sub)));
    const now = new Date().toISOString();
    const trust = stored?.issuer === iss && stored.subject === sub && isTrusted(stored, now) ? stored : undefined;
    if (!trust && !(await isKnown(iss, tokens))) return refuse("jwt_invalid", {});
    try {
      if (!(await isSigned(jwt, keysOf(iss)))) return refuse("jwt_invalid", {});
    } catch (error) {
      if (!(error instanceof IssuerUnreachable)) throw error;
      if (trust) await tokens.noteIssuer(trust.token_id, false, now);
      return refuse("issuer_unreachable", {
        facts: { issuer: iss, ...(trust && { trust_id: trust.token_id }) },
        cause: error.cause,
      });
    }
    if (trust?.unreachable_since !== undefined) await tokens.noteIssuer(trust.token_id, true, now);

    // From here on the caller holds a JWT that a trusted issuer has made, and is told what is wrong with it.
    const claims = checkClaims(jwt, { audience: baseUrlOf(host), now: Date.parse(now) });
    if ("claim" in claims) return refuse("jwt_refused", { values: { ...claims } });
    if (!trust) return refuse("jwt_refused", { values: { claim: "sub", problem: unknownSubject(sub) } });
    const isBoundToOther = ![ip, undefined].includes(addressOf(trust));
    if (isBoundToOther) return refuse("ip_not_allowed", { values: { ip }, facts: factsOf(trust, ip) });

    const nonce = newNonce();
    const text = deriveSecret(jwt, { token_id: idFrom(signedPart(jwt), claims.issuedAt * 1000), nonce });
    const record = tokenUnder(trust, { ...text, nonce, ip, now });
    const { token_id: trust_id } = trust;
    const author = { by: `token:${trust_id}`, from: ip, requestId };
    const { made, token: found } = await tokens.exchange(record, { kind: "exchanged", author, details: { trust_id } });
    if (made) return { outcome: "issued", token: record, text: formatTokenText(text) };
    // Another request with this JWT came first.
    const token = found && (await underTrust(found, { find: async () => trust }));
    const repeated = repeatedText(token, { secret: jwt, ip }, now);
    if (token && repeated !== undefined) return { outcome: "issued", token, text: repeated };
    const facts = token && { facts: factsOf(token, ip) };
    return token?.ip === ip ? refuse("jwt_used", { ...facts }) : refuse("ip_not_allowed", { values: { ip }, ...facts });
  };
};

/** The token for a workload: it never outlives its trust, and its successors end when it ends. */
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
    ...(trust.rate_limit !== undefined && { rate_limit: trust.rate_limit }),
  };
};

/** The address of the service as its clients write it. Only a local run is called without TLS. */
const baseUrlOf = (host: string): string =>
  `${/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host) ? "http" : "https"}://${host}`;
