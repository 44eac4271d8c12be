import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { JwtAuthorizer } from "../assembly/http-api.ts";

/** The information about an accepted token that the function gets as `requestContext.authorizer`. */
export interface JwtContext {
  jwt: {
    claims: Record<string, string>;
    /** Routes that require scopes do not run locally. */
    scopes: null;
  };
}

/** A rejected request, which doesn't reach its function. */
interface JwtRefusal {
  /** The value of `www-authenticate`. */
  challenge: string;
}

interface IssuerState {
  /** The issuer's keys. Without them, every token is rejected. */
  keys: JWTVerifyGetKey | undefined;
  /** The functions' time (Unix milliseconds). */
  now: number;
}

export const isRefusal = (result: JwtContext | JwtRefusal): result is JwtRefusal => "challenge" in result;

/**
 * Checks the `Authorization` header of a request like API Gateway's JWT authorizer.
 *
 * It checks who issued the token and for whom, but not what kind of token it is. An ID token, whose `aud` is the client, passes
 * like an access token. A function that must distinguish the two has to check `token_use`.
 */
export const authorizeByJwt = async (
  authorization: string | undefined,
  authorizer: JwtAuthorizer,
  state: IssuerState,
): Promise<JwtContext | JwtRefusal> => {
  const token = authorization?.replace(/^Bearer /, "");
  if (!token) return { challenge: "Bearer" };
  const claims = await verify(token, authorizer, state);
  if (typeof claims === "string") {
    return { challenge: `Bearer scope="" error="invalid_token" error_description="${claims}"` };
  }
  return { jwt: { claims: flattenClaims(claims), scopes: null } };
};

/** Returns the claims of a valid token, or the reason why it is invalid. */
const verify = async (
  token: string,
  { issuer, audience }: JwtAuthorizer,
  { keys, now }: IssuerState,
): Promise<JWTPayload | string> => {
  if (keys === undefined) return "there is no key to verify the token with";
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ["RS256"],
      issuer,
      requiredClaims: ["exp", "iat"],
      currentDate: new Date(now),
    });
    if (protectedHeader.kid === undefined) return "the token does not name its key";
    if (payload.iat !== undefined && payload.iat > now / 1000) return "the token is used before it was issued";
    // `client_id` counts only if there is no `aud`.
    const recipients = [payload.aud ?? payload.client_id].flat();
    return recipients.some((recipient) => typeof recipient === "string" && audience.includes(recipient))
      ? payload
      : "the token does not have a valid audience";
  } catch (error) {
    return reasonOf(error);
  }
};

const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} of the token is not valid`;
  if (error instanceof errors.JOSEAlgNotAllowed) return "the token is not signed with RS256";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the signature of the token is not valid";
  if (error instanceof errors.JWKSNoMatchingKey) return "the token is signed with an unknown key";
  if (error instanceof errors.JOSEError) return "the token is malformed";
  throw error;
};

/**
 * Converts a token's claims to text, as API Gateway passes them to functions. A list becomes space-separated values in brackets.
 *
 * @example flattenClaims({ exp: 1767225600, "cognito:groups": ["Admin", "Superuser"] })
 * // { exp: "1767225600", "cognito:groups": "[Admin Superuser]" }
 */
export const flattenClaims = (claims: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, textOf(value)]));

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(textOf).join(" ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([name, member]) => `${name}:${textOf(member)}`);
  return `map[${entries.toSorted().join(" ")}]`;
};
