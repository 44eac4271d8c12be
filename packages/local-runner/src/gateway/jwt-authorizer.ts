import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { JwtAuthorizer } from "../assembly/authorizers.ts";
import { flattenClaims } from "./token-claims.ts";

/** What the function learns of a token that was accepted, as `requestContext.authorizer`. */
export interface JwtContext {
  readonly jwt: {
    readonly claims: Readonly<Record<string, string>>;
    /** The token's scopes if the route asks for any, else null. */
    readonly scopes: readonly string[] | null;
  };
}

/** A request that does not reach its function. */
export interface JwtRefusal {
  readonly statusCode: 401 | 403;
  readonly message: "Unauthorized" | "Forbidden";
  /** For `www-authenticate`. */
  readonly challenge: string;
}

interface GuardedRoute {
  readonly authorizer: JwtAuthorizer;
  readonly scopes: readonly string[];
}

export const isRefusal = (verdict: JwtContext | JwtRefusal): verdict is JwtRefusal => "statusCode" in verdict;

/**
 * Judges the `Authorization` header of a request as API Gateway's JWT authorizer does.
 *
 * It asks who issued the token and for whom, not what kind of token it is: an ID token, whose `aud` is the client, passes
 * like an access token. A function to which that matters must look at `token_use`.
 *
 * @param keys of the issuer; without any, nothing is accepted
 */
export async function authorizeByJwt(
  authorization: string | undefined,
  { authorizer, scopes }: GuardedRoute,
  keys: JWTVerifyGetKey | undefined,
): Promise<JwtContext | JwtRefusal> {
  const token = authorization?.replace(/^Bearer /, "");
  if (!token) return { statusCode: 401, message: "Unauthorized", challenge: "Bearer" };
  const claims = await verify(token, authorizer, keys);
  if (typeof claims === "string") {
    return { statusCode: 401, message: "Unauthorized", challenge: challengeOf("", "invalid_token", claims) };
  }
  const granted = scopesOf(claims);
  if (scopes.length > 0 && !scopes.some((scope) => granted.includes(scope))) {
    const challenge = challengeOf(scopes.join(" "), "insufficient_scope", "the token does not have a required scope");
    return { statusCode: 403, message: "Forbidden", challenge };
  }
  return { jwt: { claims: flattenClaims(claims), scopes: scopes.length > 0 ? granted : null } };
}

/** The claims of a token that holds, or else why it does not. */
async function verify(
  token: string,
  { issuer, audience }: JwtAuthorizer,
  keys: JWTVerifyGetKey | undefined,
): Promise<JWTPayload | string> {
  if (keys === undefined) return "there is no key to check the token with";
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ["RS256"],
      issuer,
      requiredClaims: ["exp", "iat"],
    });
    if (protectedHeader.kid === undefined) return "the token does not name its key";
    if (payload.iat !== undefined && payload.iat > Date.now() / 1000) return "the token is used before it was issued";
    // `client_id` counts only if there is no `aud`, whatever that says.
    const recipients = [payload.aud ?? payload.client_id].flat();
    return recipients.some((recipient) => typeof recipient === "string" && audience.includes(recipient))
      ? payload
      : "the token does not have a valid audience";
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "the token has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} of the token is not valid`;
  if (error instanceof errors.JOSEAlgNotAllowed) return "the token is not signed with RS256";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the signature of the token is not valid";
  if (error instanceof errors.JWKSNoMatchingKey) return "the token is signed with an unknown key";
  if (error instanceof errors.JOSEError) return "the token is malformed";
  throw error;
}

// `scp` is what some issuers call it, and some give a list.
const scopesOf = ({ scope, scp }: JWTPayload): string[] =>
  [scope ?? scp].flat().flatMap((value) => (typeof value === "string" ? value.split(" ") : []));

const challengeOf = (scope: string, error: string, description: string): string =>
  `Bearer scope="${scope}" error="${error}" error_description="${description}"`;
