import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import * as z from "zod/mini";
import { isStrongKey } from "./strong-key.ts";

/** Gets a JSON document: see `getPublicJson`. */
export type GetJson = (address: string) => Promise<unknown>;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysSchema = z.object({ keys: z.array(z.unknown()) });

const keptMilliseconds = 10 * 60_000;
const pauseAfterFailureMilliseconds = 2_000;

/** How soon an issuer is asked again for the same unknown key, which strangers can invent. */
const sameKeyMilliseconds = 60_000;
/** For different ones: so many times in a row, and then at this interval. */
const burst = 5;
const intervalMilliseconds = 5_000;

/** The keys of an issuer cannot be loaded at the moment. */
export class IssuerUnreachable extends Error {}

/** The issuer is not asked for an unknown key at the moment, because it was a short time ago. */
export class AskedRecently extends Error {
  readonly retryAfterSeconds: number;
  constructor(milliseconds: number) {
    super();
    // The clients of this service wait for at most 30 seconds.
    this.retryAfterSeconds = Math.min(Math.ceil(milliseconds / 1000), 30);
  }
}

/** The keys that an issuer published at a time. */
export interface PublishedKeys {
  /** The number of the request to the issuer. */
  load: number;
  /** Finds the key for a JWT, among those with which only the issuer can have signed. */
  find: JWTVerifyGetKey;
  hasKey(kid: string): boolean;
}

/** Loads the keys of an issuer as OpenID Connect Discovery 1.0 describes. */
const loadKeys = async (issuer: string, getJson: GetJson): Promise<Omit<PublishedKeys, "load">> => {
  try {
    const document = await getJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { issuer: named, jwks_uri } = discoverySchema.parse(document);
    if (named !== issuer) throw new Error(`The document of ${issuer} is that of the issuer ${named}.`);
    // As RFC 7517 asks, keys of unknown kinds are ignored, not errors.
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
 * The published keys of one issuer. They are used for at most ten minutes after the request for them began, also if the issuer
 * cannot be reached later.
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
    /** How many requests to the issuer have begun. */
    loads: () => latest.load,

    /** The keys, from memory if they are not older than ten minutes. */
    current: async (): Promise<PublishedKeys> => {
      if (known && Date.now() - known.askedAt < keptMilliseconds) return known.keys;
      return latest.isRunning || hasJustFailed() ? latest.keys : start();
    },

    /**
     * The keys that the issuer publishes after a number of requests, for a JWT whose key is not among the earlier ones.
     *
     * @throws {AskedRecently}
     */
    async after(loads: number, kid: string | undefined): Promise<PublishedKeys> {
      if (latest.load > loads || hasJustFailed()) return latest.keys;
      allow(kid);
      return start();
    },
  };
};

/** Limits how often strangers can make the service ask an issuer for keys that do not exist. */
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
