import type { APIGatewayEventRequestContextJWTAuthorizer } from "aws-lambda";
import { ApiError } from "../errors/api-error.ts";
import type { ApiEvent, Middleware } from "./request.ts";

type Claims = APIGatewayEventRequestContextJWTAuthorizer["jwt"]["claims"];

/** The groups of the user pool whose members are admitted. */
const adminGroups = ["Admin", "Superuser"];

/**
 * What Cognito accepts as the name of a user: letters, marks, symbols, digits and punctuation. It is stored with each change, so
 * half of a surrogate pair in it would make a record unreadable.
 */
const userName = /^[\p{L}\p{M}\p{S}\p{N}\p{P}]{1,128}$/u;

/**
 * Admits a request only from a signed-in user who is in one of these groups.
 *
 * API Gateway's authorizer has verified the JWT: signature, issuer, times and audience. It accepts ID tokens too, which tell
 * a client about its user but do not authorize any call.
 */
export const verifyAdmin = (): Middleware => ({
  before: ({ event }) => {
    const claims = claimsOf(event);
    const name = claims?.username;
    if (claims?.token_use !== "access" || typeof name !== "string" || !userName.test(name)) {
      throw new ApiError("sign_in_required");
    }
    event.actor = name;
    if (!groupsOf(claims).some((group) => adminGroups.includes(group))) throw new ApiError("group_required");
  },
});

/** The claims that the authorizer verified; `undefined` on a route without an authorizer. */
const claimsOf = ({ requestContext }: ApiEvent): Claims | undefined =>
  "authorizer" in requestContext
    ? (requestContext.authorizer as Partial<APIGatewayEventRequestContextJWTAuthorizer> | undefined)?.jwt?.claims
    : undefined;

/**
 * API Gateway passes the list of groups as text such as `[Admin Superuser]`. Names of groups have no spaces, but they may have
 * commas and brackets. A claim in any other form is not API Gateway's, and admits nobody.
 */
const groupsOf = ({ "cognito:groups": groups }: Claims): string[] =>
  typeof groups === "string" && groups.startsWith("[") && groups.endsWith("]") ? groups.slice(1, -1).split(" ") : [];
