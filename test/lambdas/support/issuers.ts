import { randomUUID } from "node:crypto";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { expect } from "vitest";
import { createExchange } from "../../../lambdas/domain/tokens/by-workload/exchange-jwt.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { type Trust, trustIdOf } from "../../../lambdas/domain/tokens/trust.ts";
import type { ApiErrorOptions } from "../../../lambdas/shared/errors/api-error.ts";
import { noteOf } from "../../support/authors.ts";
import { home, openTokenStore } from "./stores.ts";

/** A key pair of an issuer. */
export type Key = GenerateKeyPairResult & { alg: string; kid: string };

export const newKey = async (alg = "ES256"): Promise<Key> => {
  return { ...(await generateKeyPair(alg, { extractable: true })), alg, kid: randomUUID() };
};

const published = await Promise.all(["RS256", "ES256", "EdDSA", "RS512", "ES384"].map(newKey));

/** The keys that every issuer publishes, by their algorithms. */
export const [rsa, ec, edwards, rsa512, p384] = published as [Key, Key, Key, Key, Key];

/** A key that no issuer publishes. */
export const stranger = await newKey();

/** Returns a JWT with these claims that is signed with this key. */
export const sign = (claims: object, { privateKey, alg, kid }: Key = ec, header: object = {}): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);

interface Sent extends ApiErrorOptions {
  /** `issued`, or the code of the refusal with the wrong claim. */
  outcome: string;
  token?: TokenRecord;
  value?: string;
}

const baseUrl = "https://api.example.com";

/** Creates a token store on a separate table, for workloads of issuers that exist only in the tests of one file. */
export const openIssuers = async () => {
  const tokens = await openTokenStore();
  const { store, find } = tokens;

  /** Creates an issuer for one test, with one trusted workload. */
  const newIssuer = async (fields: Partial<Trust> = {}, documentOf?: (issuer: string) => unknown) => {
    const issuer = `https://${randomUUID()}.example`;
    const keys = [...published];
    let asked = 0;
    let isReachable = true;
    const exchange = createExchange(async (address) => {
      if (!isReachable) throw new Error("it cannot be reached");
      if (documentOf) return documentOf(issuer);
      if (address === `${issuer}/.well-known/openid-configuration`) return { issuer, jwks_uri: `${issuer}/keys` };
      asked += 1;
      const publicKeys = keys.map(async ({ alg, kid, publicKey }) => ({ ...(await exportJWK(publicKey)), alg, kid }));
      return { keys: await Promise.all(publicKeys) };
    });
    const subject = "repo:acme/shop:ref:refs/heads/main";
    const trust = async (more: Partial<Trust> = {}): Promise<Trust> => {
      const terms = { trusted_at: new Date().toISOString(), ...fields, ...more };
      const record = { ...exampleTrust, token_id: trustIdOf(issuer, subject), issuer, subject, ...terms };
      expect(await store.trust(record, noteOf("trusted"))).toMatchObject({ made: true });
      return (await find(record.token_id)) as Trust;
    };
    const claims = (): object => {
      const seconds = Math.floor(Date.now() / 1000);
      return { iss: issuer, sub: subject, aud: baseUrl, jti: randomUUID(), iat: seconds, exp: seconds + 300 };
    };
    const send = async (jwt: string, ip = home): Promise<Sent> => {
      const outcome = await exchange(jwt, { ip, baseUrl, requestId: "request" }, store);
      if (outcome.outcome === "issued") return outcome;
      const { code, options } = outcome;
      return { outcome: options.values?.claim === undefined ? code : `${code}: ${options.values.claim}`, ...options };
    };
    return {
      issuer,
      subject,
      keys,
      trust,
      trusted: await trust(),
      claims,
      send,
      asked: () => asked,
      setReachable(reachable: boolean) {
        isReachable = reachable;
      },
      /** Returns the outcome for a new JWT that is signed with a key and has other claims. */
      outcomeWith: async (key = ec, other: object = {}) =>
        (await send(await sign({ ...claims(), ...other }, key))).outcome,
    };
  };
  return { ...tokens, newIssuer };
};
