import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import * as z from "zod/mini";

/** Gets a JSON document: see `getPublicJson`. */
export type GetJson = (address: string) => Promise<unknown>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** A key that its issuer no longer publishes is accepted for this long. */
const keptMilliseconds = 10 * 60_000;
/** How often an issuer is asked again, whatever callers send. */
const pauseMilliseconds = 60_000;

/** An issuer whose keys cannot be had at the moment. */
export class IssuerUnreachable extends Error {}

interface Known {
  loadedAt: number;
  askedAt: number;
  keys: Promise<JWTVerifyGetKey>;
}

/**
 * The published keys of issuers, found as OpenID Connect Discovery 1.0 describes, and kept for ten minutes. For a key that is not
 * among them, the issuer is asked again, at most once a minute.
 */
export const createIssuerKeys = (getJson: GetJson) => {
  const known = new Map<string, Known>();

  const load = async (issuer: string): Promise<JWTVerifyGetKey> => {
    try {
      const document = await getJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
      const { issuer: named, jwks_uri } = discoverySchema.parse(document);
      if (named !== issuer) throw new Error(`The document of ${issuer} is that of the issuer ${named}.`);
      return createLocalJWKSet(keysSchema.parse(await getJson(jwks_uri)) as JSONWebKeySet);
    } catch (error) {
      throw new IssuerUnreachable(`The keys of ${issuer} could not be loaded.`, { cause: error });
    }
  };

  const keysOf = (issuer: string, now: number, isAskedAgain: boolean): Promise<JWTVerifyGetKey> => {
    const last = known.get(issuer);
    const isFresh = last && now - last.loadedAt < keptMilliseconds;
    if (isFresh && (!isAskedAgain || now - last.askedAt < pauseMilliseconds)) return last.keys;
    const keys = load(issuer);
    known.set(issuer, { loadedAt: now, askedAt: now, keys });
    // A JWT with a key that nobody knows must not take the known keys away from others.
    if (isFresh) keys.catch(() => known.set(issuer, { ...last, askedAt: now }));
    return keys;
  };

  /**
   * The function with which `jose` finds the key that signed a JWT of an issuer.
   *
   * It throws `IssuerUnreachable`, and an error of `jose` if the issuer has no such key.
   */
  return (issuer: string): JWTVerifyGetKey =>
    async (header, token) => {
      const now = Date.now();
      try {
        return await (await keysOf(issuer, now, false))(header, token);
      } catch (error) {
        // An issuer that could not be reached is asked again after a pause, too.
        if (!(error instanceof errors.JWKSNoMatchingKey || error instanceof IssuerUnreachable)) throw error;
        return await (await keysOf(issuer, now, true))(header, token);
      }
    };
};
