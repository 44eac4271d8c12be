import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { JwtAuthorizer } from "../assembly/http-api.ts";

/** What the function learns about an accepted token, as `requestContext.authorizer`. */
export interface JwtContext {
  jwt: {
    claims: Record<string, string>;
    /** The token's scopes if the route requires any, else null. */
    scopes: string[] | null;
  };
}

/** A request that does not reach its function. */
interface JwtRefusal {
  statusCode: 401 | 403;
  message: "Unauthorized" | "Forbidden";
  /** For `www-authenticate`. */
  challenge: string;
}

interface GuardedRoute {
  authorizer: JwtAuthorizer;
  scopes: string[];
}

interface IssuerState {
  /** The issuer's keys; without them every token is refused. */
  keys: JWTVerifyGetKey | undefined;
  /** The time of the functions (Unix milliseconds). */
  now: number;
}

export const isRefusal = (result: JwtContext | JwtRefusal): result is JwtRefusal => "statusCode" in result;

/**
 * Checks the `Authorization` header of a request as API Gateway's JWT authorizer does.
 *
 * It checks who issued the token and for whom, but not what kind of token it is: an ID token, whose `aud` is the client,
 * passes like an access token. A function that needs the difference must check `token_use`.
 */
export const authorizeByJwt = async (
  authorization: string | undefined,
  { authorizer, scopes }: GuardedRoute,
  state: IssuerState,
): Promise<JwtContext | JwtRefusal> => {
  const token = authorization?.replace(/^Bearer /, "");
  if (!token) return { statusCode: 401, message: "Unauthorized", challenge: "Bearer" };
  const claims = await verify(token, authorizer, state);
  if (typeof claims === "string") {
    return { statusCode: 401, message: "Unauthorized", challenge: challengeOf("", "invalid_token", claims) };
  }
  const granted = scopesOf(claims);
  if (scopes.length > 0 && !scopes.some((scope) => granted.includes(scope))) {
    const challenge = challengeOf(scopes.join(" "), "insufficient_scope", "the token does not have a required scope");
    return { statusCode: 403, message: "Forbidden", challenge };
  }
  return { jwt: { claims: flattenClaims(claims), scopes: scopes.length > 0 ? granted : null } };
};

/** The claims of a valid token, or the reason why it is not valid. */
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
    // `client_id` counts only if there is no `aud` at all.
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

// Some issuers call it `scp`, and some give a list.
const scopesOf = ({ scope, scp }: JWTPayload): string[] =>
  [scope ?? scp].flat().flatMap((value) => (typeof value === "string" ? value.split(" ") : []));

const challengeOf = (scope: string, error: string, description: string): string =>
  `Bearer scope="${scope}" error="${error}" error_description="${description}"`;

/**
 * Turns a token's claims into text, as API Gateway passes them to functions: a list in brackets, separated by spaces.
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
