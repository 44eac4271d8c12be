import type { APIGatewayEventRequestContextV2 } from "aws-lambda";
import { tokenPaths } from "../../shared/addresses.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import type { Author } from "../history/change-entry.ts";
import { dismissedIn } from "./dismissed-addresses.ts";
import { canonicalIp, unknownIp } from "./ip-address.ts";
import { tokenState } from "./life-cycle.ts";
import type { TokenState } from "./token-state.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import { matchesHash, parseTokenValue, type TokenValueKind } from "./token-value.ts";
import { underTrust } from "./trust.ts";

/** The caller: the verified token, and the address that the service saw. */
export interface Caller {
  token: TokenRecord;
  /** The name of the client that the token belongs to; `undefined` if the token has no client. */
  client: string | undefined;
  ip: string;
  /** The caller's name in histories. */
  author: Author;
}

/** A caller that has not been verified yet. */
export interface Visitor {
  ip: string;
  requestId: string;
  /** The address of this service, as its deployment sets it. It does not depend on the request's `Host`. */
  baseUrl: string;
}

/** A caller that has the secret of a token or an invitation, in any state and at any address. */
export interface Holder extends Caller {
  /** The secret that was sent. Secrets of new tokens are derived from it. */
  secret: string;
}

/** The parts of a request that prove who sent it, and the request id. */
export interface SentToken {
  /** The value of `X-Token`. API Gateway joins repeated headers with commas. */
  tokenValue: string | undefined;
  /** The TCP peer that API Gateway saw. */
  sourceIp: string | undefined;
  requestId: string;
}

type Tokens = Pick<TokenStore, "find">;

/**
 * Verifies a token and the address that it was sent from, with one strongly consistent lookup.
 *
 * @throws {ApiError} `token_missing`, `wrong_credential`, `token_invalid`, `token_expired`, `token_revoked`, `ip_not_allowed`, or
 * `unavailable` if the lookup fails. If it throws none of these, the caller is verified.
 */
export const authenticate = async (credentials: SentToken, tokens: Tokens): Promise<Caller> => {
  const { token } = await identify("token", credentials, tokens);
  const ip = addressOf(credentials);
  const state = tokenState(token, new Date().toISOString());
  if (state !== "active") throw endedError(state, token, ip);
  if (ip === undefined || ip !== token.ip) throw wrongAddressError(token, ip);
  return callerWith(token, ip, credentials);
};

/**
 * Verifies only that the caller has the secret of a token or an invitation, with one lookup.
 *
 * @throws {ApiError} `token_missing`, `wrong_credential`, `token_invalid`, `unavailable`, or `ip_not_allowed` if the caller's
 * address is unknown
 */
export const authenticateHolder = async (
  kind: TokenValueKind,
  credentials: SentToken,
  tokens: Tokens,
): Promise<Holder> => {
  const { token, secret } = await identify(kind, credentials, tokens);
  const ip = addressOf(credentials);
  if (ip === undefined) throw wrongAddressError(token, ip);
  return { ...callerWith(token, ip, credentials), secret };
};

/**
 * Returns the sender of a request that has no credential.
 *
 * @throws {ApiError} `ip_not_allowed` if the address is unknown
 */
export const visitorIn = ({ http, requestId }: APIGatewayEventRequestContextV2, baseUrl: string): Visitor => {
  const ip = canonicalIp(http.sourceIp ?? "");
  if (ip === undefined) throw new ApiError("ip_not_allowed", { values: { ip: "an unknown address" } });
  return { ip, baseUrl, requestId };
};

const callerWith = (token: TokenRecord, ip: string, { requestId }: SentToken): Caller => ({
  token,
  client: token.client,
  ip,
  author: { by: `token:${token.token_id}`, from: ip, requestId },
});

const identify = async (
  kind: TokenValueKind,
  { tokenValue }: SentToken,
  tokens: Tokens,
): Promise<{ token: TokenRecord; secret: string }> => {
  if (tokenValue === undefined || tokenValue === "" || tokenValue.includes(",")) throw new ApiError("token_missing");

  const parts = parseTokenValue(tokenValue);
  if (!parts && looksLikeJwt(tokenValue)) throw new ApiError("wrong_credential", { values: jwtSentAs[kind] });
  if (!parts) throw new ApiError("token_invalid");
  if (parts.kind !== kind) throw new ApiError("wrong_credential", { values: wrongCredentialValues[kind] });

  const token = await tokens.find(parts.token_id);
  const secretMatches = matchesHash(parts.secret, kind === "token" ? token?.secret_hash : token?.invitation_hash);
  if (!token || !secretMatches) throw new ApiError("token_invalid");
  return { token: await underTrust(token, tokens), secret: parts.secret };
};

/** The values for the message of `wrong_credential`, by the kind of credential that is needed. */
export const wrongCredentialValues = {
  token: {
    sent: "an invitation",
    needed: "an access token",
    advice: `exchange it for a token first, with POST ${tokenPaths.token}`,
  },
  invitation: {
    sent: "an access token",
    needed: "an invitation",
    advice: "only an invitation, which begins with iti_, can be redeemed",
  },
};

const sentJwt = { sent: "a JWT", advice: `exchange it for a token first, with POST ${tokenPaths.exchange}` };

const jwtSentAs = {
  token: { ...sentJwt, needed: "an access token" },
  invitation: { ...sentJwt, needed: "an invitation" },
};

/** Checks whether a string has three parts, and its first part begins like a JSON object in base64url. */
const looksLikeJwt = (text: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(text);

const addressOf = ({ sourceIp }: SentToken): string | undefined =>
  sourceIp === undefined ? undefined : canonicalIp(sourceIp);

/** Returns the error for a token that has ended, or for an invitation, which has no token secret yet. */
export const endedError = (
  state: Exclude<TokenState, "active">,
  token: TokenRecord,
  ip: string | undefined,
): ApiError => {
  const code = state === "expired" || state === "revoked" ? (`token_${state}` as const) : "token_invalid";
  return new ApiError(code, { facts: factsOf(token, ip) });
};

/** Returns the error for the correct secret from a wrong or unknown address. It never reveals the right address. */
export const wrongAddressError = (token: TokenRecord, ip: string | undefined): ApiError =>
  new ApiError("ip_not_allowed", { values: { ip: ip ?? "an unknown address" }, facts: factsOf(token, ip) });

/** Returns log fields that say which token a call is made with, and whose it is. */
export const ownerOf = ({ token_id, client }: TokenRecord): Record<string, string> => ({
  token_id,
  ...(client !== undefined && { client }),
});

/** Returns log fields about a call with the correct secret: which token, and whether the address indicates a leak. */
export const factsOf = (token: TokenRecord, ip: string | undefined): Record<string, string> => {
  const owner = ownerOf(token);
  if (ip === undefined || ip === token.ip || token.ip === unknownIp) return owner;
  return dismissedIn(token).some((dismissed) => dismissed.ip === ip)
    ? { ...owner, dismissed_address: "right secret, wrong address that an admin has recognised" }
    : { ...owner, leak_signal: "right secret, wrong address" };
};
