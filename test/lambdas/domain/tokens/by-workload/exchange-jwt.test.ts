import { randomUUID } from "node:crypto";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { authenticate } from "../../../../../lambdas/domain/tokens/authenticate.ts";
import { createExchange } from "../../../../../lambdas/domain/tokens/by-workload/exchange-jwt.ts";
import { unknownIp } from "../../../../../lambdas/domain/tokens/ip-address.ts";
import type { TokenRecord } from "../../../../../lambdas/domain/tokens/token-store.ts";
import { parseTokenValue } from "../../../../../lambdas/domain/tokens/token-value.ts";
import { exampleTrust } from "../../../../../lambdas/domain/tokens/tokens-table.ts";
import { type Trust, trustIdOf } from "../../../../../lambdas/domain/tokens/trust.ts";
import type { ApiErrorOptions } from "../../../../../lambdas/shared/errors/api-error.ts";
import { inMs } from "../../../../kit/support/tokens.ts";
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
  /** Returns `issued`, or the code of the refusal with the wrong claim. */
  outcome: string;
  token?: TokenRecord;
  text?: string;
}

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
    const times = { iat: seconds, exp: seconds + 300 };
    return { iss: issuer, sub: subject, aud: "https://api.example.com", jti: randomUUID(), ...times };
  };
  const send = async (jwt: string, ip = home): Promise<Sent> => {
    const outcome = await exchange(jwt, { ip, baseUrl: "https://api.example.com", requestId: "request" }, store);
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
    /** Returns the outcome for a new JWT signed with a key. */
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
const unpublished = await newKey("ES256");
const [publicRsa, jwk] = [await exportJWK(rsa.publicKey), await exportJWK(stranger.publicKey)];

describe("tells a stranger nothing:", () => {
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
    "a name of the issuer that is no address": sign({ ...claims, iss: "issuer" }),
    "a type that is a number": sign(claims, ec, { typ: 1 as never }),
    "no signature": `${encode({ alg: "none" })}.${encode(claims)}.`,
    "the algorithm none": `${encode({ alg: "none" })}.${encode(claims)}.e30`,
    "HS256 with the public key": hmac,
    "an algorithm that is not accepted": sign(claims, rsa512),
    "a curve that is not accepted": sign(claims, p384),
    "ES256 on another curve": sign(claims, { ...ec, kid: p384.kid }),
    "another key with the same id": sign(claims, { ...stranger, kid: ec.kid }),
    "a key that is not published": sign(claims, stranger),
    "a key in the header": sign(claims, { ...stranger, kid: "another" }, { jwk, jku: "https://evil.example/keys" }),
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

describe("tells the holder of a signed JWT which claim is wrong:", () => {
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
    ["exp", { iat: now + 50, exp: now + 50 }],
    ["exp", { nbf: now + 50, exp: now + 40 }],
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

  test.for(["logout+jwt", "dpop+jwt", "at+jwt", "application/secevent+jwt", ""])("type %j", async (typ) => {
    expect((await shared.send(await sign(shared.claims(), ec, { typ }))).outcome).toBe("jwt_refused: typ");
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
  ["the type of a JWT", ec, {}, { typ: "JWT" }],
  [
    "clocks that differ by less than a minute",
    ec,
    { iat: Math.floor(Date.now() / 1000) - 100, exp: Math.floor(Date.now() / 1000) - 50 },
  ],
] as const)("exchanges a JWT for a token on the terms of its trust: %s", async ([, key, changed, header = {}]) => {
  const { trusted, claims, send } = await newIssuer({ rate_limit: 60, expires_at: inMs(600_000), token_seconds: 3600 });
  const { token, text = "" } = await send(await sign({ ...claims(), ...changed }, key, header));
  expect(token).toMatchObject({
    ...{ ip: home, comment: trusted.comment, expires_at: trusted.expires_at, rate_limit: 60 },
    ...{ limit_id: trusted.token_id, trust_id: trusted.token_id },
  });
  const caller = await authenticate({ tokenValue: text, sourceIp: home, requestId: "request" }, store);
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

  test("returns its value again to the same address, even to simultaneous calls", async () => {
    const { send, claims, jwt, text } = await exchanged();
    expect((await send(jwt)).text).toBe(text);
    const other = await sign(claims());
    const texts = await Promise.all(Array.from({ length: 5 }, async () => (await send(other)).text));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).not.toBe(text);
  });

  test("is rejected from another address, and reported as a leak", async () => {
    const { send, jwt, id } = await exchanged();
    const facts = { token_id: id, leak_signal: "right secret, wrong address" };
    expect(await send(jwt, away)).toMatchObject({ outcome: "ip_not_allowed", facts });
  });

  test("is rejected after the token's first use, its revocation or the end of the trust's tokens", async () => {
    for (const end of ["use", "revoke", "end"] as const) {
      const { send, jwt, id, trusted } = await exchanged();
      if (end === "use") await store.recordUse(id, inMs(0));
      if (end === "revoke")
        await store.revoke(id, { revoked_at: inMs(0), revoked_by: "admin" }, noteOf("revoked").author);
      if (end === "end") await store.changeTrust(trusted, { endsTokens: true }, noteOf("trust_updated"));
      expect((await send(jwt)).outcome, end).toBe("jwt_used");
    }
  });

  test("is rejected with another valid signature, and makes no second token", async () => {
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
    const call = () => authenticate({ tokenValue: text, sourceIp: home, requestId: "request" }, store);
    const change = async (terms: Parameters<typeof store.changeTrust>[1]) => {
      const seen = await find(issuer.trusted.token_id);
      expect(await store.changeTrust(seen, terms, noteOf("trust_updated"))).toMatchObject({ made: true });
    };
    return { ...issuer, text, call, change };
  };

  test("also after the workload is trusted again, while new JWTs are accepted again", async () => {
    const { call, change, trust, send, claims } = await calling();
    await change({ expires_at: inMs(0) });
    expect(await apiErrorOf(call())).toMatchObject({ code: "token_revoked" });
    expect((await send(await sign(claims()))).outcome).toBe("jwt_invalid");
    await trust();
    expect(await apiErrorOf(call())).toMatchObject({ code: "token_revoked" });
    expect((await send(await sign(claims()))).outcome).toBe("issued");
  });

  const ends: Parameters<typeof store.changeTrust>[1][][] = [
    [{ endsTokens: true }],
    [{ ip: away }],
    [{ ip: away }, { ip: home }],
    [{ ip: away }, { ip: unknownIp }],
    [{ ip: unknownIp }, { ip: away }, { ip: home, comment: "x" }],
  ];
  test.for(ends)("permanently, after the changes %j", async (...[changes]) => {
    for (const ip of [home, unknownIp]) {
      const { call, change, send, claims } = await calling({ ip });
      for (const terms of changes) await change(terms);
      expect(await apiErrorOf(call())).toMatchObject({ code: "token_revoked" });
      if (changes.at(-1)?.ip !== away) expect((await send(await sign(claims()))).outcome).toBe("issued");
    }
  });

  test("but not if the trust names the token's address, or no longer names any", async () => {
    const { call, change } = await calling();
    for (const terms of [{ ip: unknownIp }, { token_seconds: 300, comment: "x" }, { rate_limit: null }]) {
      await change(terms);
      await call();
    }
  });

  test("and the subject gets no more tokens, while the issuer's other workload still does", async () => {
    const { issuer, trust, send, claims, change } = await calling();
    await trust({ token_id: trustIdOf(issuer, "other"), subject: "other" });
    await change({ expires_at: inMs(0) });
    expect((await send(await sign(claims()))).outcome).toBe("jwt_refused: sub");
    expect((await send(await sign({ ...claims(), sub: "other" }))).outcome).toBe("issued");
  });

  test("when the record of its trust is gone", async () => {
    const { text } = await calling();
    const { token_id } = parseTokenValue(text) ?? { token_id: "" };
    const token = await find(token_id);
    const without = { find: async (id: string) => (id === token_id ? token : undefined) };
    const call = authenticate({ tokenValue: text, sourceIp: home, requestId: "request" }, without);
    expect(await apiErrorOf(call)).toMatchObject({ code: "token_revoked" });
  });

  test("and uses the current limit of the trust", async () => {
    const { call, change } = await calling({ rate_limit: 60 });
    await change({ rate_limit: 5 });
    expect((await call()).token.rate_limit).toBe(5);
    await change({ rate_limit: null });
    expect((await call()).token).not.toHaveProperty("rate_limit");
  });

  test("a trust for one address issues no tokens to others", async () => {
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

  test("are reloaded at once for a new key, even right after strangers have triggered a reload", async () => {
    const { outcomeWith, keys, asked } = await newIssuer();
    const key = await newKey("ES256");
    expect(await outcomeWith(ec)).toBe("issued");
    for (let times = 0; times < 3; times += 1) expect(await outcomeWith(await newKey("ES256"))).toBe("jwt_invalid");
    keys.push(key);
    expect([await outcomeWith(key), await outcomeWith(key), asked()]).toEqual(["issued", "issued", 5]);
  });

  test("are loaded once for simultaneous calls, and once a minute for the same unknown key", async () => {
    const { claims, send, outcomeWith, keys, asked } = await newIssuer();
    const key = await newKey("ES256");
    const jwts = await Promise.all(Array.from({ length: 20 }, () => sign(claims(), key)));
    await Promise.all(jwts.map((jwt) => send(jwt)));
    expect(asked()).toBe(2);
    keys.push(key);
    const { outcome, headers } = await send(await sign(claims(), key));
    expect([outcome, headers]).toEqual(["jwt_key_unknown", { "Retry-After": "30" }]);
    travel(60_000);
    expect([await outcomeWith(key), asked()]).toEqual(["issued", 3]);
  });

  test("are loaded at most every five seconds while strangers invent key ids, even if each load finds new keys", async () => {
    const { outcomeWith, keys, asked, send, claims } = await newIssuer();
    const [key, inventions] = [
      await newKey("ES256"),
      await Promise.all(Array.from({ length: 20 }, () => newKey("ES256"))),
    ];
    await outcomeWith(ec);
    for (const invented of inventions) await outcomeWith(invented);
    expect(asked()).toBe(6);
    keys.push(key);
    const { outcome, headers } = await send(await sign(claims(), key));
    expect([outcome, headers]).toEqual(["jwt_key_unknown", { "Retry-After": "5" }]);
    travel(5_000);
    expect([await outcomeWith(stranger), await outcomeWith(key), asked()]).toEqual(["jwt_invalid", "issued", 7]);
  });

  test("are loaded once for an unknown key if none were known before", async () => {
    const { outcomeWith, asked } = await newIssuer();
    expect([await outcomeWith(stranger), asked()]).toEqual(["jwt_invalid", 1]);
  });

  test("are not reloaded for a JWT that names a published key, but was not signed with it", async () => {
    const { outcomeWith, asked } = await newIssuer();
    for (const key of [ec, rsa]) expect(await outcomeWith({ ...stranger, kid: key.kid })).toBe("jwt_invalid");
    expect(asked()).toBe(1);
  });

  test("are used for at most ten minutes, whether they are withdrawn or cannot be reloaded", async () => {
    for (const end of ["withdrawn", "away"]) {
      const { outcomeWith, keys, setReachable } = await newIssuer();
      expect(await outcomeWith(ec)).toBe("issued");
      if (end === "withdrawn") keys.splice(0);
      else setReachable(false);
      travel(5 * 60_000);
      // A failure in the meantime does not extend their use.
      await outcomeWith(await newKey("ES256"));
      if (end === "away") expect(await outcomeWith(ec)).toBe("issued");
      travel(5 * 60_000);
      expect(await outcomeWith(ec)).toBe(end === "away" ? "issuer_unreachable" : "jwt_invalid");
    }
  });

  test("cannot be loaded: no token is issued until a retry two seconds later, and the trust shows since when", async () => {
    const { claims, send, outcomeWith, trusted, setReachable } = await newIssuer();
    const since = async () => (await find(trusted.token_id)).unreachable_since;
    setReachable(false);
    const began = new Date().toISOString();
    const { outcome, cause, facts } = await send(await sign(claims()));
    expect([outcome, (cause as Error).message]).toEqual(["issuer_unreachable", "it cannot be reached"]);
    expect(facts).toMatchObject({ trust_id: trusted.token_id });
    travel(1_000);
    setReachable(true);
    expect([await outcomeWith(ec), await since()]).toEqual(["issuer_unreachable", began]);
    travel(1_000);
    expect([await outcomeWith(ec), await since()]).toEqual(["issued", undefined]);
  });

  test("remain known if a reload for an unknown key fails", async () => {
    const { outcomeWith, setReachable } = await newIssuer();
    await outcomeWith(ec);
    setReachable(false);
    expect([await outcomeWith(stranger), await outcomeWith(ec)]).toEqual(["issuer_unreachable", "issued"]);
  });

  const nameless = (key: Key): Key => ({ ...key, kid: undefined as never });

  test.for<[string, published: Key[], sender: Key]>([
    ["published twice", [ec, ec], ec],
    ["with the same id as another", [{ ...stranger, kid: ec.kid }, ec], ec],
    ["not named in the JWT, beside others", [stranger, ec, rsa], nameless(ec)],
  ])("are accepted if one of them has signed the JWT: %s", async ([, published, sender]) => {
    const { keys, outcomeWith } = await newIssuer();
    keys.splice(0, keys.length, ...published);
    expect(await outcomeWith(sender)).toBe("issued");
    expect(await outcomeWith({ ...unpublished, kid: sender.kid })).toBe("jwt_invalid");
  });

  test("are reloaded for a JWT that names no key, when the issuer has replaced its key", async () => {
    const { keys, outcomeWith } = await newIssuer();
    expect(await outcomeWith(nameless(ec))).toBe("issued");
    keys.splice(0, keys.length, stranger);
    expect(await outcomeWith(nameless(stranger))).toBe("issued");
  });

  const broken = { kty: "EC", crv: "P-256", alg: "ES256", x: "AA", y: "AA", kid: ec.kid };
  test.for<[string, object | string, outcome: string]>([
    ["no object", "rubbish", "issuer_unreachable"],
    ["another issuer", { issuer: "https://other.example" }, "issuer_unreachable"],
    ["no address for the keys", { jwks_uri: undefined }, "issuer_unreachable"],
    ["no list of keys", { keys: {} }, "issuer_unreachable"],
    ["entries that are not keys", { keys: [1, null, "x", {}] }, "jwt_invalid"],
    ["a key that cannot be imported", { keys: [broken] }, "jwt_invalid"],
    ["a secret key", { keys: [{ kty: "oct", k: "AA", kid: ec.kid }] }, "jwt_invalid"],
  ])("are not accepted from a document with %s", async ([, document, outcome]) => {
    const { outcomeWith } = await newIssuer({}, (issuer) =>
      typeof document === "string" ? document : { issuer, jwks_uri: issuer, keys: [], ...document },
    );
    expect(await outcomeWith(ec)).toBe(outcome);
  });

  test("of unknown kinds are ignored without an error", async () => {
    const key = { ...(await exportJWK(ec.publicKey)), kid: ec.kid };
    const { outcomeWith } = await newIssuer({}, (issuer) => ({
      issuer,
      jwks_uri: issuer,
      keys: [1, { kty: "AKP" }, key],
    }));
    expect(await outcomeWith(ec)).toBe("issued");
  });
});

describe("the reads of a JWT", () => {
  const readsOf = async (outcomeOf: () => Promise<string>) => {
    const reads = [vi.spyOn(store, "find"), vi.spyOn(store, "trustsIssuer")];
    const outcome = await outcomeOf();
    const calls = reads.map(({ mock }) => mock.calls.length);
    for (const read of reads) read.mockRestore();
    return [outcome, ...calls];
  };

  test("do not depend, for a forged JWT, on whether its subject is trusted", async () => {
    const { claims, outcomeWith, send, asked } = await newIssuer();
    await outcomeWith(ec);
    const forged = { ...stranger, kid: ec.kid };
    for (const sub of ["repo:acme/shop:ref:refs/heads/main", "repo:acme/other"]) {
      const jwt = await sign({ ...claims(), sub }, forged);
      expect(await readsOf(async () => (await send(jwt)).outcome)).toEqual(["jwt_invalid", 0, 1]);
    }
    expect(asked()).toBe(1);
  });

  test("are only one for an issuer whose trusts have all ended, and no request goes to the issuer", async () => {
    const { trusted, outcomeWith, asked } = await newIssuer();
    const note = noteOf("trust_ended");
    await store.changeTrust(trusted, { expires_at: inMs(0), revoked_at: inMs(0), revoked_by: "admin" }, note);
    expect(await readsOf(() => outcomeWith(ec))).toEqual(["jwt_invalid", 0, 1]);
    expect(asked()).toBe(0);
  });
});
