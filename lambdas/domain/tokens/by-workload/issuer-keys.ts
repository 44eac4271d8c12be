import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import * as z from "zod/mini";
import { isStrongKey } from "./strong-key.ts";

/** Fetches a JSON document: see `getPublicJson`. */
export type GetJson = (address: string) => Promise<unknown>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysSchema = z.object({ keys: z.array(z.unknown()) });

const keptMilliseconds = 10 * 60_000;
const pauseAfterFailureMilliseconds = 2_000;

/** How long to wait before asking an issuer again for the same unknown key. Anyone can make up key ids. */
const sameKeyMilliseconds = 60_000;
/** Limits for different unknown keys: this many in a row, and then one per interval. */
const burst = 5;
const intervalMilliseconds = 5_000;

/** Thrown if an issuer's keys cannot be loaded at the moment. */
export class IssuerUnreachable extends Error {}

/** Thrown if an issuer is not asked for an unknown key because it was asked recently. */
export class AskedRecently extends Error {
  readonly retryAfterSeconds: number;
  constructor(milliseconds: number) {
    super();
    // This service's clients wait for at most 30 seconds.
    this.retryAfterSeconds = Math.min(Math.ceil(milliseconds / 1000), 30);
  }
}

/** The keys that an issuer published at a given time. */
export interface PublishedKeys {
  /** The number of the request to the issuer. */
  load: number;
  /** Finds the key for a JWT, among the keys that are strong enough that only the issuer can sign with them. */
  find: JWTVerifyGetKey;
  hasKey(kid: string): boolean;
}

/** Loads an issuer's keys as described in OpenID Connect Discovery 1.0. */
const loadKeys = async (issuer: string, getJson: GetJson): Promise<Omit<PublishedKeys, "load">> => {
  try {
    const document = await getJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { issuer: named, jwks_uri } = discoverySchema.parse(document);
    if (named !== issuer) throw new Error(`The document of ${issuer} is that of the issuer ${named}.`);
    // RFC 7517 requires that keys of unknown kinds are ignored.
    const keys = keysSchema
      .parse(await getJson(jwks_uri))
      .keys.filter((key) => typeof key === "object" && key !== null);
    const kids = new Set(keys.flatMap((key) => ("kid" in key ? [key.kid] : [])));
    const find = createLocalJWKSet({ keys: keys.filter(isStrongKey) } as JSONWebKeySet);
    return { find, hasKey: (kid) => kids.has(kid) };
  } catch (error) {
    throw new IssuerUnreachable(`The keys of ${issuer} could not be loaded.`, { cause: error });
  }
};

/**
 * Caches the published keys of one issuer. They are used for at most ten minutes after their request began, even if the issuer
 * becomes unreachable.
 */
export const createIssuerKeys = (issuer: string, getJson: GetJson) => {
  /** The latest keys, and the latest request for keys. */
  let known: { keys: PublishedKeys; askedAt: number } | undefined;
  let latest = { load: 0, keys: Promise.reject<PublishedKeys>(new IssuerUnreachable()), isRunning: false };
  latest.keys.catch(() => {});
  let failedAt = Number.NEGATIVE_INFINITY;
  const allow = createAllowance();

  const start = (): Promise<PublishedKeys> => {
    const [load, askedAt] = [latest.load + 1, Date.now()];
    const keys = loadKeys(issuer, getJson).then((loaded) => ({ ...loaded, load }));
    const request = { load, keys, isRunning: true };
    latest = request;
    keys
      .then(
        (loaded) => {
          if (load > (known?.keys.load ?? 0)) known = { keys: loaded, askedAt };
        },
        () => {
          failedAt = Date.now();
        },
      )
      .finally(() => {
        request.isRunning = false;
      });
    return keys;
  };

  const hasJustFailed = () => !latest.isRunning && Date.now() - failedAt < pauseAfterFailureMilliseconds;

  return {
    /** Returns how many requests to the issuer have begun. */
    loads: () => latest.load,

    /** Returns the keys, from memory if they are at most ten minutes old. */
    current: async (): Promise<PublishedKeys> => {
      if (known && Date.now() - known.askedAt < keptMilliseconds) return known.keys;
      return latest.isRunning || hasJustFailed() ? latest.keys : start();
    },

    /**
     * Returns keys from a request to the issuer after the first `loads` requests, for a JWT whose key is not among earlier keys.
     *
     * @throws {AskedRecently} if the issuer was asked a short time ago
     */
    async after(loads: number, kid: string | undefined): Promise<PublishedKeys> {
      if (latest.load > loads || hasJustFailed()) return latest.keys;
      allow(kid);
      return start();
    },
  };
};

/** Limits how often callers can make the service ask an issuer for keys that do not exist. */
const createAllowance = () => {
  const asked = new Map<string, number>();
  let nextAt = 0;
  return (kid: string | undefined): void => {
    const now = Date.now();
    for (const [other, at] of asked) if (now - at >= sameKeyMilliseconds) asked.delete(other);
    const sameAt = kid === undefined ? undefined : asked.get(kid);
    if (sameAt !== undefined) throw new AskedRecently(sameAt + sameKeyMilliseconds - now);
    const wait = nextAt - (burst - 1) * intervalMilliseconds - now;
    if (wait > 0) throw new AskedRecently(wait);
    nextAt = Math.max(nextAt, now) + intervalMilliseconds;
    if (kid !== undefined) asked.set(kid, now);
  };
};
