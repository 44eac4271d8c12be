import { type CryptoKey, compactVerify, errors, type JWTVerifyGetKey } from "jose";
import * as z from "zod/mini";
import { exampleAddress } from "../../../shared/addresses.ts";
import { parseJson } from "../../../shared/parse-json.ts";
import { localIssuer } from "../trust.ts";
import { isIssuer } from "./public-hosts.ts";

/** The algorithms that JWTs may be signed with. */
const algorithms = ["RS256", "ES256", "EdDSA"] as const;

/** The types of a plain JWT (RFC 7519, SPIFFE). Others, such as `logout+jwt`, have a different purpose (RFC 8725, 3.11). */
const plainTypes = ["jwt", "application/jwt", "jose"];

/** Maximum clock difference between issuers and this service. */
const toleranceSeconds = 60;

const longestLifeSeconds = 60 * 60;

/** The length of a JWT in characters. */
export const jwtLength = { min: 1, max: 12_000 };

/** Creates a JWT without a valid signature. */
export const unsignedJwt = (claims: object): string =>
  [{ alg: "RS256", kid: "example" }, claims, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");

/** The JWT in all examples. */
export const exampleJwt = unsignedJwt({
  iss: localIssuer,
  sub: "repo:acme/shop:ref:refs/heads/main",
  aud: exampleAddress,
  iat: 0,
  exp: 900,
});

const headerSchema = z.object({
  alg: z.enum(algorithms),
  kid: z.optional(z.string()),
  typ: z.optional(z.string()),
  crit: z.optional(z.undefined()),
});

const claimedSchema = z.object({ iss: z.string().check(z.refine(isIssuer)), sub: z.string() });

const claimsSchema = z.object({
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  iat: z.number(),
  nbf: z.optional(z.number()),
});

/** Describes what is wrong with a subject that no trust names. */
export const unknownSubject = (subject: string): string =>
  `is ${JSON.stringify(subject)}, and no admin trusts this subject of the issuer`;

/** A JWT as its sender wrote it, before anything is verified. */
export interface ClaimedJwt {
  jwt: string;
  iss: string;
  sub: string;
  kid: string | undefined;
  typ: string | undefined;
}

/** Reads the unverified claims of a string; `undefined` if it is not a JWT that any issuer could have signed. */
export const claimedIn = (jwt: string): ClaimedJwt | undefined => {
  const [, header = "", payload = ""] = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(jwt) ?? [];
  if (header === "" || jwt.length > jwtLength.max) return undefined;
  const { data: signed } = z.safeParse(headerSchema, jsonIn(header));
  const { data: claimed } = z.safeParse(claimedSchema, jsonIn(payload));
  return signed && claimed && { jwt, ...claimed, kid: signed.kid, typ: signed.typ };
};

const jsonIn = (part: string): unknown => parseJson(Buffer.from(part, "base64url").toString("utf8"));

/**
 * Checks whether one of the published keys signed a JWT. If several keys have its `kid`, or it has none, tries each key that fits
 * its algorithm. If the verification fails for any reason, the JWT counts as unsigned.
 */
export const isSigned = async (jwt: string, find: JWTVerifyGetKey): Promise<boolean> => {
  try {
    await compactVerify(jwt, find, { algorithms: [...algorithms] });
    return true;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return isSignedByOneOf(error, jwt);
    return false;
  }
};

const isSignedByOneOf = async (keys: AsyncIterable<CryptoKey>, jwt: string): Promise<boolean> => {
  for await (const key of keys) {
    if (await isSigned(jwt, () => key)) return true;
  }
  return false;
};

/** Returns the part of a JWT that its issuer has signed. It is the same for all spellings of the same JWT. */
export const signedPart = (jwt: string): string => jwt.slice(0, jwt.lastIndexOf("."));

/**
 * Returns when a signed JWT was issued (Unix seconds), or what is wrong with it: a claim and its problem, as parts of a sentence.
 */
export const checkClaims = (
  { jwt, typ }: ClaimedJwt,
  { audience, now }: { audience: string; now: number },
): { issuedAt: number } | { claim: string; problem: string } => {
  if (typ !== undefined && !plainTypes.includes(typ.toLowerCase())) {
    return { claim: "typ", problem: `is ${JSON.stringify(typ)}, in its header, and must be "JWT" or missing` };
  }
  const { success, data, error } = z.safeParse(claimsSchema, jsonIn(jwt.split(".")[1] ?? ""));
  if (!success) {
    const claim = String(error.issues[0]?.path[0] ?? "aud");
    return { claim, problem: claim === "aud" ? "is missing or not a string" : "is missing or not a number of seconds" };
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
  if (exp <= Math.max(iat, nbf)) return { claim: "exp", problem: "must be after iat and nbf" };
  if (exp - iat > longestLifeSeconds) return { claim: "exp", problem: "must be at most an hour after iat" };
  // At this point, the time of issue is within the last hour, give or take the tolerance.
  return { issuedAt: Math.floor(iat) };
};

const lastSeconds = 253_402_300_799;

const textOf = (seconds: number): string =>
  Math.abs(seconds) > lastSeconds ? String(seconds) : new Date(seconds * 1000).toISOString();
