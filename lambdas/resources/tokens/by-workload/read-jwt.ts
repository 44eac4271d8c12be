import { compactVerify, type JWTVerifyGetKey } from "jose";
import * as z from "zod/mini";
import { exampleAddress } from "../../../addresses.ts";
import { localIssuer } from "../trust.ts";
import { IssuerUnreachable } from "./issuer-keys.ts";

/** The algorithms with which a JWT may be signed. */
const algorithms = ["RS256", "ES256", "EdDSA"];

/** By how much the clocks of issuers may differ from this one. */
const toleranceSeconds = 60;

const longestLifeSeconds = 60 * 60;

/** The characters of a JWT. */
export const jwtLength = { min: 1, max: 12_000 };

/** A JWT that nobody has signed. */
export const unsignedJwt = (claims: object): string =>
  [{ alg: "RS256", kid: "example" }, claims, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");

/** The JWT of all examples. */
export const exampleJwt = unsignedJwt({
  iss: localIssuer,
  sub: "repo:acme/shop:ref:refs/heads/main",
  aud: exampleAddress,
  iat: 0,
  exp: 900,
});

const claimedSchema = z.object({ iss: z.string(), sub: z.string() });

const claimsSchema = z.object({
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  iat: z.number(),
  nbf: z.optional(z.number()),
});

/** What is wrong with a subject that no trust names. */
export const unknownSubject = (subject: string): string =>
  `is ${JSON.stringify(subject)}, and no admin trusts this subject of the issuer`;

/** Reads the issuer and the subject that a text names, before anything is verified; `undefined` if it is no JWT. */
export const claimedIn = (jwt: string) => z.safeParse(claimedSchema, payloadOf(jwt)).data;

const payloadOf = (jwt: string): unknown => {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(jwt) ?? [];
  if (payload === undefined || jwt.length > jwtLength.max) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
};

/**
 * Whether the issuer has signed a JWT. Whatever fails in the verification, it has not.
 *
 * @throws {IssuerUnreachable}
 */
export const isSigned = async (jwt: string, keys: JWTVerifyGetKey): Promise<boolean> => {
  try {
    const { protectedHeader } = await compactVerify(jwt, keys, { algorithms });
    return protectedHeader.crit === undefined;
  } catch (error) {
    if (error instanceof IssuerUnreachable) throw error;
    return false;
  }
};

/** The part of a JWT that its issuer has signed: equal for all texts of the same JWT. */
export const signedPart = (jwt: string): string => jwt.slice(0, jwt.lastIndexOf("."));

/** The time at which a signed JWT was made (Unix seconds), or what is wrong with it: a claim and its problem, parts of a sentence. */
export const checkClaims = (
  jwt: string,
  { audience, now }: { audience: string; now: number },
): { issuedAt: number } | { claim: string; problem: string } => {
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
  if (exp + toleranceSeconds <= seconds)
    return { claim: "exp", problem: `was ${textOf(exp)}, and it is ${textOf(seconds)}` };
  for (const [claim, time] of Object.entries({ iat, nbf })) {
    if (time - toleranceSeconds > seconds)
      return { claim, problem: `is ${textOf(time)}, and it is ${textOf(seconds)}` };
  }
  if (exp - iat > longestLifeSeconds) return { claim: "exp", problem: "must be at most an hour after iat" };
  // So the time of issue is within the last hour, and within the tolerance.
  return { issuedAt: Math.floor(iat) };
};

const lastSeconds = 253_402_300_799;

const textOf = (seconds: number): string =>
  Math.abs(seconds) > lastSeconds ? String(seconds) : new Date(seconds * 1000).toISOString();
