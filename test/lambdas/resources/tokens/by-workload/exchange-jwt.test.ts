import { randomUUID } from "node:crypto";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ApiErrorOptions } from "../../../../../lambdas/errors/api-error.ts";
import { authenticate } from "../../../../../lambdas/resources/tokens/authenticate.ts";
import { createExchange } from "../../../../../lambdas/resources/tokens/by-workload/exchange-jwt.ts";
import type { TokenRecord } from "../../../../../lambdas/resources/tokens/token-store.ts";
import { parseTokenText } from "../../../../../lambdas/resources/tokens/token-text.ts";
import { exampleTrust } from "../../../../../lambdas/resources/tokens/tokens-table.ts";
import { type Trust, trustIdOf } from "../../../../../lambdas/resources/tokens/trust.ts";
import { inMs } from "../../../../../testing/support/tokens.ts";
import { noteOf } from "../../../../support/authors.ts";
import { apiErrorOf } from "../../../support/outcomes.ts";
import { away, home, openTokenStore } from "../../../support/stores.ts";

const { store, find, lastChange } = await openTokenStore();

interface Key extends GenerateKeyPairResult {
  alg: string;
  kid: string;
}

const newKey = async (alg: string): Promise<Key> => {
  return { ...(await generateKeyPair(alg, { extractable: true })), alg, kid: randomUUID() };
};

const published = await Promise.all(["RS256", "ES256", "EdDSA", "RS512", "ES384"].map((alg) => newKey(alg)));
const [rsa, ec, edwards, rsa512, p384] = published as [Key, Key, Key, Key, Key];

interface Sent extends ApiErrorOptions {
  /** `issued`, or the code of the refusal with the claim that is wrong. */
  outcome: string;
  token?: TokenRecord;
  text?: string;
}

/** An issuer of its own for a test, which trusts one of its workloads. */
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
    const times = { iat: seconds, exp: seconds + 300 };
    return { iss: issuer, sub: subject, aud: "https://api.example.com", jti: randomUUID(), ...times };
  };
  const send = async (jwt: string, ip = home): Promise<Sent> => {
    const outcome = await exchange(jwt, { ip, host: "api.example.com", requestId: "request" }, store);
    if (outcome.outcome === "issued") return outcome;
    const { code, options } = outcome;
    return { outcome: options.values?.claim === undefined ? code : `${code}: ${options.values.claim}`, ...options };
  };
  return {
    ...{ issuer, subject, keys, trust, claims, send },
    trusted: await trust(),
    asked: () => asked,
    setReachable(reachable: boolean) {
      isReachable = reachable;
    },
    /** The outcome for a new JWT that is signed with a key. */
    outcomeWith: async (key: Key) => (await send(await sign(claims(), key))).outcome,
  };
};

const sign = (claims: object, { privateKey, alg, kid }: Key = ec, header: object = {}): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);

const encode = (part: object | string): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");

const shared = await newIssuer();
const { issuer } = shared;
const stranger = await newKey("ES256");
const [publicRsa, jwk] = [await exportJWK(rsa.publicKey), await exportJWK(stranger.publicKey)];

describe("a stranger is told nothing:", () => {
  const claims = shared.claims();
  const withPayload = async (payload: object | string) => {
    const [header, , signature] = (await sign(claims)).split(".");
    return [header, encode(payload), signature].join(".");
  };
  const publicKey = new TextEncoder().encode(JSON.stringify(publicRsa));
  const hmac = new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", kid: rsa.kid }).sign(publicKey);
  const jwts: Record<string, string | Promise<string>> = {
    "no text": "",
    "two parts": "e30.e30",
    "five parts": "e30.e30.e30.e30.e30",
    "base64 with padding": `${encode("{}")}=.${encode(claims)}.e30`,
    "a huge text": withPayload({ ...claims, padding: "x".repeat(12_000) }),
    "a payload that is no JSON": withPayload("{"),
    "a payload that is a list": withPayload([claims]),
    "no issuer": sign({ ...claims, iss: undefined }),
    "a number as subject": sign({ ...claims, sub: 1 }),
    "a list as subject": sign({ ...claims, sub: [shared.subject] }),
    "no signature": `${encode({ alg: "none" })}.${encode(claims)}.`,
    "the algorithm none": `${encode({ alg: "none" })}.${encode(claims)}.e30`,
    "HS256 with the public key": hmac,
    "an algorithm that is not accepted": sign(claims, rsa512),
    "a curve that is not accepted": sign(claims, p384),
    "ES256 on another curve": sign(claims, { ...ec, kid: p384.kid }),
    "another key with the same id": sign(claims, { ...stranger, kid: ec.kid }),
    "a key that is not published": sign(claims, stranger),
    "a key in the header": sign(claims, stranger, { jwk, jku: "https://evil.example/keys" }),
    "a critical header": sign(claims, ec, { crit: ["b64"], b64: true }),
    "a changed payload": withPayload({ ...claims, exp: 2_000_000_000 }),
    "claims of another issuer": sign({ ...claims, iss: "https://other.example" }),
    "the issuer with a slash": sign({ ...claims, iss: `${issuer}/` }),
    "the issuer in upper case": sign({ ...claims, iss: issuer.toUpperCase() }),
    "the issuer with a port": sign({ ...claims, iss: `${issuer}:443` }),
    "the issuer with a letter that looks the same": sign({ ...claims, iss: issuer.replace("example", "exаmple") }),
  };

  test.for(Object.entries(jwts))("%s", async ([, jwt]) => {
    expect(await shared.send(await jwt)).toEqual({ outcome: "jwt_invalid" });
  });
});

describe("the holder of a signed JWT is told which claim is wrong:", () => {
  const now = Math.floor(Date.now() / 1000);
  const cases: [claim: string, claims: object][] = [
    ["aud", { aud: undefined }],
    ["aud", { aud: 1 }],
    ["aud", { aud: "https://api.example.com/" }],
    ["aud", { aud: ["https://api.example.com", "https://other.example"] }],
    ["aud", { aud: [] }],
    ["exp", { exp: undefined }],
    ["exp", { exp: String(now + 300) }],
    ["exp", { exp: now - 61 }],
    ["exp", { exp: now + 3_700 }],
    ["iat", { iat: undefined }],
    ["iat", { iat: now + 120, exp: now + 300 }],
    ["nbf", { nbf: now + 120 }],
    ["nbf", { nbf: "now" }],
    ["sub", { sub: "repo:acme/shop:ref:refs/heads/next" }],
    ["sub", { sub: "REPO:acme/shop:ref:refs/heads/main" }],
    ["sub", { sub: "*" }],
  ];
  test.for(cases)("%s %j", async ([claim, changed]) => {
    const { outcome } = await shared.send(await sign({ ...shared.claims(), ...changed }));
    expect(outcome).toBe(`jwt_refused: ${claim}`);
  });

  test("and what was expected, in a sentence", async () => {
    const { values } = await shared.send(await sign({ ...shared.claims(), aud: "https://other.example" }));
    expect(values?.problem).toBe('is "https://other.example" and must be "https://api.example.com", alone');
  });
});

test.for([
  ["RS256", rsa, {}],
  ["ES256", ec, {}],
  ["EdDSA", edwards, {}],
  ["a list with the one audience", ec, { aud: ["https://api.example.com"] }],
  ["clocks that differ by less than a minute", ec, { exp: Math.floor(Date.now() / 1000) - 50 }],
] as const)("a JWT makes a token on the terms of its trust: %s", async ([, key, changed]) => {
  const { trusted, claims, send } = await newIssuer({ rate_limit: 60, expires_at: inMs(600_000), token_seconds: 3600 });
  const { token, text = "" } = await send(await sign({ ...claims(), ...changed }, key));
  expect(token).toMatchObject({
    ...{ ip: home, comment: trusted.comment, expires_at: trusted.expires_at, rate_limit: 60 },
    ...{ limit_id: trusted.token_id, trust_id: trusted.token_id },
  });
  const caller = await authenticate({ tokenText: text, sourceIp: home, requestId: "request" }, store);
  expect(caller.token.token_id).toBe(token?.token_id);
  expect(await lastChange(caller.token.token_id)).toMatchObject({ kind: "exchanged", author: { from: home } });
});

describe("a JWT makes one token:", () => {
  const exchanged = async () => {
    const issuer = await newIssuer();
    const jwt = await sign(issuer.claims());
    const first = await issuer.send(jwt);
    return { ...issuer, jwt, text: first.text ?? "", id: first.token?.token_id ?? "" };
  };

  test("its text is returned again to the same address, also to calls at the same time", async () => {
    const { send, claims, jwt, text } = await exchanged();
    expect((await send(jwt)).text).toBe(text);
    const other = await sign(claims());
    const texts = await Promise.all(Array.from({ length: 5 }, async () => (await send(other)).text));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).not.toBe(text);
  });

  test("from another address it is refused, which is the sign of a leak", async () => {
    const { send, jwt, id } = await exchanged();
    const facts = { token_id: id, leak_signal: "right secret, wrong address" };
    expect(await send(jwt, away)).toMatchObject({ outcome: "ip_not_allowed", facts });
  });

  test("after the token's first use, its revocation or the end of the trust's tokens it is refused", async () => {
    for (const end of ["use", "revoke", "end"] as const) {
      const { send, jwt, id, trusted } = await exchanged();
      if (end === "use") await store.recordUse(id, inMs(0));
      if (end === "revoke")
        await store.revoke(id, { revoked_at: inMs(0), revoked_by: "admin" }, noteOf("revoked").author);
      if (end === "end") await store.changeTrust(trusted, { trusted_at: inMs(1) }, noteOf("trust_updated"));
      expect((await send(jwt)).outcome, end).toBe("jwt_used");
    }
  });

  test("another signature of the same JWT makes no other token", async () => {
    const { send, jwt } = await exchanged();
    const [header, payload, signature = ""] = jwt.split(".");
    const bytes = Buffer.from(signature, "base64url");
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const s = (order - BigInt(`0x${bytes.subarray(32).toString("hex")}`)).toString(16).padStart(64, "0");
    const mirrored = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, "hex")]).toString("base64url");
    expect((await send([header, payload, mirrored].join("."))).outcome).toBe("jwt_used");
  });
});

describe("a token ends with its trust:", () => {
  const calling = async (fields: Partial<Trust> = {}) => {
    const issuer = await newIssuer(fields);
    const { text = "" } = await issuer.send(await sign(issuer.claims()));
    const call = () => authenticate({ tokenText: text, sourceIp: home, requestId: "request" }, store);
    const change = async (terms: Parameters<typeof store.changeTrust>[1]) => {
      const seen = await find(issuer.trusted.token_id);
      expect(await store.changeTrust(seen, terms, noteOf("trust_updated"))).toMatchObject({ made: true });
    };
    return { ...issuer, text, call, change };
  };

  test("also after the workload is trusted again, for the JWT of a stranger no longer", async () => {
    const { call, change, trust, send, claims } = await calling();
    await change({ expires_at: inMs(0) });
    expect(await apiErrorOf(call())).toMatchObject({ code: "token_revoked" });
    expect((await send(await sign(claims()))).outcome).toBe("jwt_invalid");
    await trust({ trusted_at: inMs(2) });
    expect(await apiErrorOf(call())).toMatchObject({ code: "token_revoked" });
    expect((await send(await sign(claims()))).outcome).toBe("issued");
  });

  test("when its tokens are ended, when it names another address, or when its record is gone or revoked", async () => {
    const changes = [{ trusted_at: inMs(1) }, { ip: away }];
    for (const terms of changes) {
      const { call, change } = await calling();
      await change(terms);
      expect(await apiErrorOf(call())).toMatchObject({ code: "token_revoked" });
    }
    const { text } = await calling();
    const { token_id } = parseTokenText(text) ?? { token_id: "" };
    const token = await find(token_id);
    const without = { find: async (id: string) => (id === token_id ? token : undefined) };
    const call = authenticate({ tokenText: text, sourceIp: home, requestId: "request" }, without);
    expect(await apiErrorOf(call)).toMatchObject({ code: "token_revoked" });
  });

  test("and has the current limit of the trust", async () => {
    const { call, change } = await calling({ rate_limit: 60 });
    await change({ rate_limit: 5 });
    expect((await call()).token.rate_limit).toBe(5);
    await change({ rate_limit: null });
    expect((await call()).token).not.toHaveProperty("rate_limit");
  });

  test("a trust for one address gives tokens to no other", async () => {
    const { send, claims } = await newIssuer({ ip: away });
    const facts = { leak_signal: "right secret, wrong address" };
    expect(await send(await sign(claims()))).toMatchObject({ outcome: "ip_not_allowed", facts });
    expect((await send(await sign(claims()), away)).outcome).toBe("issued");
  });
});

describe("the keys of an issuer", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    return () => void vi.useRealTimers();
  });
  const travel = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

  test("are read again for an unknown one, once a minute", async () => {
    const { outcomeWith, keys, asked } = await newIssuer();
    const key = await newKey("ES256");
    expect([await outcomeWith(ec), await outcomeWith(key), asked()]).toEqual(["issued", "jwt_invalid", 1]);
    keys.push(key);
    travel(61_000);
    expect([await outcomeWith(key), await outcomeWith(key), asked()]).toEqual(["issued", "issued", 2]);
  });

  test("are used for ten minutes at most, and one that is removed no longer", async () => {
    const { outcomeWith, keys } = await newIssuer();
    expect(await outcomeWith(ec)).toBe("issued");
    keys.splice(0);
    expect(await outcomeWith(ec)).toBe("issued");
    travel(10 * 60_000);
    expect(await outcomeWith(ec)).toBe("jwt_invalid");
  });

  test("cannot be read: nothing is issued until they can be, and the trust says since when", async () => {
    const { claims, send, outcomeWith, trusted, setReachable } = await newIssuer();
    const since = async () => (await find(trusted.token_id)).unreachable_since;
    setReachable(false);
    const began = new Date().toISOString();
    const { outcome, cause } = await send(await sign(claims()));
    expect([outcome, (cause as Error).message]).toEqual(["issuer_unreachable", "it cannot be reached"]);
    travel(30_000);
    setReachable(true);
    expect([await outcomeWith(ec), await since()]).toEqual(["issuer_unreachable", began]);
    travel(31_000);
    expect([await outcomeWith(ec), await since()]).toEqual(["issued", undefined]);
  });

  test("stay known while a JWT with an unknown one makes the service ask in vain", async () => {
    const { outcomeWith, setReachable } = await newIssuer();
    await outcomeWith(ec);
    setReachable(false);
    travel(61_000);
    expect([await outcomeWith(stranger), await outcomeWith(ec)]).toEqual(["issuer_unreachable", "issued"]);
  });

  const broken = { kty: "EC", crv: "P-256", alg: "ES256", x: "AA", y: "AA", kid: ec.kid };
  test.for<[string, object | string, outcome: string]>([
    ["no object", "rubbish", "issuer_unreachable"],
    ["another issuer", { issuer: "https://other.example" }, "issuer_unreachable"],
    ["no address of the keys", { jwks_uri: undefined }, "issuer_unreachable"],
    ["keys that are none", { keys: [1] }, "issuer_unreachable"],
    ["a key that cannot be imported", { keys: [broken] }, "jwt_invalid"],
  ])("are not taken from a document with %s", async ([, document, outcome]) => {
    const { outcomeWith } = await newIssuer({}, (issuer) =>
      typeof document === "string" ? document : { issuer, jwks_uri: issuer, keys: [], ...document },
    );
    expect(await outcomeWith(ec)).toBe(outcome);
  });
});
