import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as z from "zod/mini";
import { requireVariable } from "../shared/environment.ts";
import { ApiError, otherError } from "../shared/errors/api-error.ts";
import type { LogFields } from "./log-request.ts";
import type { Middleware, Request } from "./request.ts";

/** The field that this middleware adds. */
export interface SignedIn {
  /** The name of the admin who is signed in. */
  actor: string;
}

/** The admins' user pool, and the client through which the web interface signs them in. */
export interface UserPool {
  issuer: string;
  clientId: string;
}

/** The environment variables of a function that verifies admins. */
export const userPoolVariables = { issuer: "LOGIN_AUTHORITY", clientId: "LOGIN_CLIENT_ID" } as const;

/**
 * Reads the user pool's settings from the environment.
 *
 * @throws {Error} naming the variable that is missing.
 */
export const readUserPool = (): UserPool => ({
  issuer: requireVariable(userPoolVariables.issuer),
  clientId: requireVariable(userPoolVariables.clientId),
});

/** The user pool groups whose members are admitted. */
const adminGroups = ["Admin", "Superuser"];

/**
 * User names that Cognito accepts: letters, marks, symbols, digits and punctuation. The name is stored with each change. Half of a
 * surrogate pair would make a record unreadable, and a user's name must not look like an invocation or a client.
 */
const userName = /^(?!(?:invoke|token):)[\p{L}\p{M}\p{S}\p{N}\p{P}]{1,128}$/u;

/**
 * Admits only requests with an access token that the user pool has signed for a user in one of these groups.
 *
 * ID tokens are signed too, but they only describe a user to a client and do not authorize calls.
 *
 * @example chain.use(verifyAdmin(readUserPool())).handler(async ({ actor }) => …)
 */
export const verifyAdmin = ({ issuer, clientId }: UserPool): Middleware<SignedIn & LogFields> => {
  const keys = publishedKeys(issuer);
  const claims = z.object({
    token_use: z.literal("access"),
    client_id: z.literal(clientId),
    username: z.string().check(z.regex(userName)),
    "cognito:groups": z._default(z.array(z.string()), []),
  });

  const verifyUser = async ({ event }: Request<SignedIn & LogFields>): Promise<void> => {
    const [, token = ""] = /^Bearer (\S+)$/.exec(event.headers.authorization ?? "") ?? [];
    const user = z.safeParse(claims, await payloadOf(token, { issuer, keys })).data;
    if (!user) throw otherError("sign_in_required");
    event.actor = user.username;
    event.logFields.actor = user.username;
    if (!user["cognito:groups"].some((group) => adminGroups.includes(group))) throw otherError("group_required");
  };
  return { before: verifyUser };
};

/** Returns the payload of a JWT that the issuer has signed and that has not expired; otherwise `undefined`. */
const payloadOf = async (token: string, { issuer, keys }: { issuer: string; keys: JWTVerifyGetKey }) => {
  try {
    return (await jwtVerify(token, keys, { issuer, algorithms: ["RS256"], requiredClaims: ["exp"] })).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};

/** Returns the keys that a user pool publishes. The keys are loaded when a token needs them. */
const publishedKeys = (issuer: string): JWTVerifyGetKey => {
  const published = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), { timeoutDuration: 2_000 });
  return async (header, token) => {
    try {
      return await published(header, token);
    } catch (cause) {
      const isOfToken = cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys;
      throw isOfToken ? cause : new ApiError("unavailable", { cause });
    }
  };
};
