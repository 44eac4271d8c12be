import { compactVerify, errors, type JWTVerifyGetKey } from "jose";
import * as z from "zod/mini";

/** The algorithms with which a JWT may be signed. */
const algorithms = ["RS256", "ES256", "EdDSA"];

/** By how much the clocks of issuers may differ from this one. */
const toleranceSeconds = 60;

const longestLifeSeconds = 60 * 60;

const mostCharacters = 12_000;

const claimedSchema = z.object({ iss: z.string(), sub: z.string() });

const claimsSchema = z.object({
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  iat: z.number(),
  nbf: z.optional(z.number()),
});

/** What a JWT claims, whoever has written it. */
export type Claimed = z.output<typeof claimedSchema>;

/** A claim of a JWT of a trusted issuer that is not as it must be. Both are parts of a sentence. */
export interface WrongClaim {
  claim: string;
  problem: string;
}

/** Reads the issuer and the subject that a text names, before anything is verified; `undefined` if it is no JWT. */
export const claimedIn = (jwt: string): Claimed | undefined => {
  const payload = payloadOf(jwt);
  const { success, data } = z.safeParse(claimedSchema, payload);
  return success ? data : undefined;
};

const payloadOf = (jwt: string): unknown => {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(jwt) ?? [];
  if (payload === undefined || jwt.length > mostCharacters) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
};

/** Whether the issuer has signed a JWT. Rejects only with what `keys` throws for an issuer that cannot be reached. */
export const isSigned = async (jwt: string, keys: JWTVerifyGetKey): Promise<boolean> => {
  try {
    await compactVerify(jwt, keys, { algorithms });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
    throw error;
  }
};

/** The part of a JWT that its issuer has signed: equal for all texts of the same JWT. */
export const signedPart = (jwt: string): string => jwt.slice(0, jwt.lastIndexOf("."));

/** The time at which a signed JWT was made (Unix seconds), or what is wrong with it. */
export const checkClaims = (
  jwt: string,
  { audience, now }: { audience: string; now: number },
): { issuedAt: number } | WrongClaim => {
  const { success, data, error } = z.safeParse(claimsSchema, payloadOf(jwt));
  if (!success) {
    const claim = String(error.issues[0]?.path[0] ?? "aud");
    return { claim, problem: claim === "aud" ? "is missing or not a text" : "is missing or not a number of seconds" };
  }
  const { aud, exp, iat, nbf = iat } = data;
  const audiences = [aud].flat();
  if (audiences.length !== 1 || audiences[0] !== audience) {
    return { claim: "aud", problem: `is ${JSON.stringify(aud)} and must be "${audience}", alone` };
  }
  const seconds = now / 1000;
  if (exp + toleranceSeconds <= seconds) return { claim: "exp", problem: `was ${textOf(exp)}, and it is ${textOf(seconds)}` };
  for (const [claim, time] of Object.entries({ iat, nbf })) {
    if (time - toleranceSeconds > seconds) return { claim, problem: `is ${textOf(time)}, and it is ${textOf(seconds)}` };
  }
  if (exp - iat > longestLifeSeconds) return { claim: "exp", problem: "must be at most an hour after iat" };
  // So the time of issue is within the last hour, and within the tolerance.
  return { issuedAt: Math.floor(iat) };
};

const lastSeconds = 253_402_300_799;

const textOf = (seconds: number): string =>
  Math.abs(seconds) > lastSeconds ? String(seconds) : new Date(seconds * 1000).toISOString();
