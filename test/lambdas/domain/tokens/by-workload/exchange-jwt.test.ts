import { randomUUID } from "node:crypto";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { expect, test, vi } from "vitest";
import { authenticate } from "../../../../../lambdas/domain/tokens/authenticate.ts";
import { createExchange } from "../../../../../lambdas/domain/tokens/by-workload/exchange-jwt.ts";
import { unknownIp } from "../../../../../lambdas/domain/tokens/ip-address.ts";
import type { TokenRecord } from "../../../../../lambdas/domain/tokens/token-store.ts";
import { parseTokenValue } from "../../../../../lambdas/domain/tokens/token-value.ts";
import { exampleTrust } from "../../../../../lambdas/domain/tokens/tokens-table.ts";
import { type Trust, trustIdOf } from "../../../../../lambdas/domain/tokens/trust.ts";
import type { ApiErrorOptions } from "../../../../../lambdas/shared/errors/api-error.ts";
import { inMs } from "../../../../kit/support/tokens.ts";
import { author, noteOf } from "../../../../support/authors.ts";
import { stopClock } from "../../../support/clock.ts";
import { apiErrorOf } from "../../../support/outcomes.ts";
import { away, home, openTokenStore } from "../../../support/stores.ts";

const { store, find, lastChange } = await openTokenStore();

type Key = GenerateKeyPairResult & { alg: string; kid: string };

const newKey = async (alg = "ES256"): Promise<Key> => {
  return { ...(await generateKeyPair(alg, { extractable: true })), alg, kid: randomUUID() };
};

const published = await Promise.all(["RS256", "ES256", "EdDSA", "RS512", "ES384"].map(newKey));
const [rsa, ec, edwards, rsa512, p384] = published as [Key, Key, Key, Key, Key];
const [stranger, unpublished] = [await newKey(), await newKey()];

interface Sent extends ApiErrorOptions {
  /** `issued`, or the code of the refusal with the wrong claim. */
  outcome: string;
  token?: TokenRecord;
  value?: string;
}

const baseUrl = "https://api.example.com";

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

const sign = (claims: object, { privateKey, alg, kid }: Key = ec, header: object = {}): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);

const encode = (part: object | string): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");

const shared = await newIssuer();
const { issuer } = shared;
const claims = shared.claims();

const withPayload = async (payload: object | string) => {
  const [header, , signature] = (await sign(claims)).split(".");
  return [header, encode(payload), signature].join(".");
};
const publicKey = new TextEncoder().encode(JSON.stringify(await exportJWK(rsa.publicKey)));
const hmac = new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", kid: rsa.kid }).sign(publicKey);
const jwk = await exportJWK(stranger.publicKey);

test.for<[string, string | Promise<string>]>([
  ["no text", ""],
  ["two parts", "e30.e30"],
  ["five parts", "e30.e30.e30.e30.e30"],
  ["base64 with padding", `${encode("{}")}=.${encode(claims)}.e30`],
  ["a huge text", withPayload({ ...claims, padding: "x".repeat(12_000) })],
  ["a payload that is not JSON", withPayload("{")],
  ["a payload that is a list", withPayload([claims])],
  ["no issuer", sign({ ...claims, iss: undefined })],
  ["a number as its subject", sign({ ...claims, sub: 1 })],
  ["a list as its subject", sign({ ...claims, sub: [shared.subject] })],
  ["a name instead of the issuer's address", sign({ ...claims, iss: "issuer" })],
  ["a number as its type", sign(claims, ec, { typ: 1 as never })],
  ["no signature", `${encode({ alg: "none" })}.${encode(claims)}.`],
  ["the algorithm none", `${encode({ alg: "none" })}.${encode(claims)}.e30`],
  ["HS256 with the public key", hmac],
  ["an algorithm that is not accepted", sign(claims, rsa512)],
  ["a curve that is not accepted", sign(claims, p384)],
  ["ES256 on another curve", sign(claims, { ...ec, kid: p384.kid })],
  ["the signature of another key with the same id", sign(claims, { ...stranger, kid: ec.kid })],
  ["a key that is not published", sign(claims, stranger)],
  ["a key in its header", sign(claims, { ...stranger, kid: "another" }, { jwk, jku: "https://evil.example/keys" })],
  ["a critical header", sign(claims, ec, { crit: ["b64"], b64: true })],
  ["a changed payload", withPayload({ ...claims, exp: 2_000_000_000 })],
  ["the claims of another issuer", sign({ ...claims, iss: "https://other.example" })],
  ["the issuer with a slash", sign({ ...claims, iss: `${issuer}/` })],
  ["the issuer in upper case", sign({ ...claims, iss: issuer.toUpperCase() })],
  ["the issuer with a port", sign({ ...claims, iss: `${issuer}:443` })],
  ["the issuer with a letter that looks the same", sign({ ...claims, iss: issuer.replace("example", "exаmple") })],
])("tells a stranger only that the JWT is invalid: a JWT with %s", async ([, jwt]) => {
  expect(await shared.send(await jwt)).toEqual({ outcome: "jwt_invalid" });
});

const began = Date.now();
const seconds = Math.floor(began / 1000);
/** Stops the clock for a test at the time from which the claims are computed, which is before all tests. */
const returnToBeginning = () => stopClock(began - Date.now());

test.for<[claim: string, claims: object]>([
  ["aud", { aud: undefined }],
  ["aud", { aud: 1 }],
  ["aud", { aud: "https://api.example.com/" }],
  ["aud", { aud: ["https://api.example.com", "https://other.example"] }],
  ["aud", { aud: [] }],
  ["exp", { exp: undefined }],
  ["exp", { exp: String(seconds + 300) }],
  ["exp", { exp: seconds - 61 }],
  ["exp", { exp: seconds + 3_700 }],
  ["exp", { iat: seconds + 50, exp: seconds + 50 }],
  ["exp", { nbf: seconds + 50, exp: seconds + 40 }],
  ["iat", { iat: undefined }],
  ["iat", { iat: seconds + 120, exp: seconds + 300 }],
  ["nbf", { nbf: seconds + 120 }],
  ["nbf", { nbf: "now" }],
  ["sub", { sub: "repo:acme/shop:ref:refs/heads/next" }],
  ["sub", { sub: "REPO:acme/shop:ref:refs/heads/main" }],
  ["sub", { sub: "*" }],
])("tells the holder of a signed JWT which claim is wrong: %s %j", async ([claim, changed]) => {
  returnToBeginning();
  expect(await shared.outcomeWith(ec, changed)).toBe(`jwt_refused: ${claim}`);
});

test.for(["logout+jwt", "dpop+jwt", "at+jwt", "application/secevent+jwt", ""])(
  "tells the holder of a signed JWT that its type is wrong: %j",
  async (typ) => {
    expect((await shared.send(await sign(shared.claims(), ec, { typ }))).outcome).toBe("jwt_refused: typ");
  },
);

test("explains in a sentence which claim value was expected, and logs the claim for the admins of the trust", async () => {
  const { values, facts } = await shared.send(await sign({ ...shared.claims(), aud: "https://other.example" }));
  expect(values?.problem).toBe('is "https://other.example" and must be "https://api.example.com", alone');
  expect(facts).toEqual({ token_id: shared.trusted.token_id, claim: "aud" });
});

test.for([
  ["RS256", rsa, {}],
  ["ES256", ec, {}],
  ["EdDSA", edwards, {}],
  ["a list with the one audience", ec, { aud: ["https://api.example.com"] }],
  ["the type of a JWT", ec, {}, { typ: "JWT" }],
  ["clocks that differ by less than a minute", ec, { iat: seconds - 100, exp: seconds - 50 }],
] as const)("exchanges a JWT for a token with the terms of its trust: %s", async ([, key, changed, header = {}]) => {
  returnToBeginning();
  const terms = { rate_limit: 60, client: "ACME" };
  const { trusted, claims, send } = await newIssuer({ ...terms, expires_at: inMs(600_000), token_seconds: 3600 });
  const { token, value = "" } = await send(await sign({ ...claims(), ...changed }, key, header));
  const { token_id: trust_id, comment, expires_at } = trusted;
  expect(token).toMatchObject({ ip: home, comment, expires_at, ...terms, limit_id: trust_id, trust_id });
  // The end counts as set by an admin, so that no successor outlives it.
  expect(token?.end_set_at).toBe(token?.issued_at);
  const caller = await authenticate({ tokenValue: value, sourceIp: home, requestId: "request" }, store);
  expect(caller.token.token_id).toBe(token?.token_id);
  expect(await lastChange(caller.token.token_id)).toMatchObject({ kind: "exchanged", author: { from: home } });
});

const exchanged = async () => {
  const issuer = await newIssuer();
  const jwt = await sign(issuer.claims());
  const first = await issuer.send(jwt);
  return { ...issuer, jwt, value: first.value ?? "", id: first.token?.token_id ?? "" };
};

test("the same JWT from the same address returns the same token, even for simultaneous calls", async () => {
  const { send, claims, jwt, value } = await exchanged();
  expect((await send(jwt)).value).toBe(value);
  const other = await sign(claims());
  const values = await Promise.all(Array.from({ length: 5 }, async () => (await send(other)).value));
  expect(new Set(values).size).toBe(1);
  expect(values[0]).not.toBe(value);
});

test("rejects the same JWT from another address, and reports it as a leak", async () => {
  const { send, jwt, id } = await exchanged();
  const facts = { token_id: id, leak_signal: "right secret, wrong address" };
  expect(await send(jwt, away)).toMatchObject({ outcome: "ip_not_allowed", facts });
});

test.for(["first use", "revocation", "trust's end"])("rejects a used JWT after its token's %s", async (end) => {
  const { send, jwt, id, trusted } = await exchanged();
  if (end === "first use") await store.recordUse(id, inMs(0));
  if (end === "revocation") await store.revoke(id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
  if (end === "trust's end") await store.changeTrust(trusted, { endsTokens: true }, noteOf("trust_updated"));
  expect((await send(jwt)).outcome).toBe("jwt_used");
});

test("rejects a JWT that is sent again with another valid signature", async () => {
  const { send, jwt } = await exchanged();
  const [header, payload, signature = ""] = jwt.split(".");
  const bytes = Buffer.from(signature, "base64url");
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = (order - BigInt(`0x${bytes.subarray(32).toString("hex")}`)).toString(16).padStart(64, "0");
  const mirrored = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, "hex")]).toString("base64url");
  expect((await send([header, payload, mirrored].join("."))).outcome).toBe("jwt_used");
});

type Terms = Parameters<typeof store.changeTrust>[1];

/** Creates a workload with a token, which it calls with. */
const calling = async (fields: Partial<Trust> = {}) => {
  const issuer = await newIssuer(fields);
  const { value = "" } = await issuer.send(await sign(issuer.claims()));
  const call = (tokens: Pick<typeof store, "find"> = store) =>
    authenticate({ tokenValue: value, sourceIp: home, requestId: "request" }, tokens);
  const change = async (terms: Terms) => {
    const seen = await find(issuer.trusted.token_id);
    expect(await store.changeTrust(seen, terms, noteOf("trust_updated"))).toMatchObject({ made: true });
  };
  return { ...issuer, value, call, change };
};
const revoked = { code: "token_revoked" };

test("a token that ended with its trust stays ended if the workload is trusted again", async () => {
  const { call, change, trust, outcomeWith } = await calling();
  await change({ expires_at: inMs(0) });
  expect(await apiErrorOf(call())).toMatchObject(revoked);
  expect(await outcomeWith()).toBe("jwt_invalid");
  await trust();
  expect(await apiErrorOf(call())).toMatchObject(revoked);
  expect(await outcomeWith()).toBe("issued");
});

test.for<[Terms, ...Terms[]]>([
  [{ endsTokens: true }],
  [{ ip: away }],
  [{ ip: away }, { ip: home }],
  [{ ip: away }, { ip: unknownIp }],
  [{ ip: unknownIp }, { ip: away }, { ip: home, comment: "x" }],
])("a token is permanently ended by changes of its trust: %j %j %j", async (changes) => {
  for (const ip of [home, unknownIp]) {
    const { call, change, outcomeWith } = await calling({ ip });
    for (const terms of changes) await change(terms);
    expect(await apiErrorOf(call())).toMatchObject(revoked);
    if (changes.at(-1)?.ip !== away) expect(await outcomeWith()).toBe("issued");
  }
});

test("a token keeps working if its trust names the token's address or no longer names any address", async () => {
  const { call, change } = await calling();
  for (const terms of [{ ip: unknownIp }, { token_seconds: 300, comment: "x" }, { rate_limit: null }]) {
    await change(terms);
    await call();
  }
});

test("the subject of an ended trust gets no new tokens, while the issuer's other workload still does", async () => {
  const { issuer, trust, outcomeWith, change } = await calling();
  await trust({ token_id: trustIdOf(issuer, "other"), subject: "other" });
  await change({ expires_at: inMs(0) });
  expect(await outcomeWith()).toBe("jwt_refused: sub");
  expect(await outcomeWith(ec, { sub: "other" })).toBe("issued");
});

test("a workload's token belongs to the client of its own trust, whatever its JWT claims", async () => {
  const { issuer, trust, claims, send, change } = await calling({ client: "ACME" });
  await trust({ token_id: trustIdOf(issuer, "other"), subject: "other", client: "OTHER" });
  const clientOf = async (other: object) =>
    (await send(await sign({ ...claims(), client: "OTHER", ...other }))).token?.client;
  expect([await clientOf({}), await clientOf({ sub: "other" })]).toEqual(["ACME", "OTHER"]);
  await change({ expires_at: inMs(0) });
  await trust({ client: "NEXT" });
  expect(await clientOf({})).toBe("NEXT");
});

test("a token has ended if its trust's record no longer exists", async () => {
  const { value, call } = await calling();
  const { token_id } = parseTokenValue(value) ?? { token_id: "" };
  const token = await find(token_id);
  const withoutTrust = { find: async (id: string) => (id === token_id ? token : undefined) };
  expect(await apiErrorOf(call(withoutTrust))).toMatchObject(revoked);
});

test("a token uses the current limit of its trust", async () => {
  const { call, change } = await calling({ rate_limit: 60 });
  await change({ rate_limit: 5 });
  expect((await call()).token.rate_limit).toBe(5);
  await change({ rate_limit: null });
  expect((await call()).token).not.toHaveProperty("rate_limit");
});

test("a trust for one address does not issue tokens to others", async () => {
  const { send, claims } = await newIssuer({ ip: away });
  const facts = { leak_signal: "right secret, wrong address" };
  expect(await send(await sign(claims()))).toMatchObject({ outcome: "ip_not_allowed", facts });
  expect((await send(await sign(claims()), away)).outcome).toBe("issued");
});

/** Stops the clock for a test, and returns a function that moves it. */
test("an issuer's keys are reloaded at once for a new key, even right after strangers caused reloads", async () => {
  stopClock();
  const { outcomeWith, keys, asked } = await newIssuer();
  const key = await newKey();
  expect(await outcomeWith()).toBe("issued");
  for (let times = 0; times < 3; times += 1) expect(await outcomeWith(await newKey())).toBe("jwt_invalid");
  keys.push(key);
  expect([await outcomeWith(key), await outcomeWith(key), asked()]).toEqual(["issued", "issued", 5]);
});

test("an issuer's keys are loaded once for simultaneous calls, and at most once a minute for the same unknown key", async () => {
  const travel = stopClock();
  const { claims, send, outcomeWith, keys, asked } = await newIssuer();
  const key = await newKey();
  const jwts = await Promise.all(Array.from({ length: 20 }, () => sign(claims(), key)));
  await Promise.all(jwts.map((jwt) => send(jwt)));
  expect(asked()).toBe(2);
  keys.push(key);
  const { outcome, headers } = await send(await sign(claims(), key));
  expect([outcome, headers]).toEqual(["jwt_key_unknown", { "Retry-After": "30" }]);
  travel(60_000);
  expect([await outcomeWith(key), asked()]).toEqual(["issued", 3]);
});

test("an issuer's keys are loaded at most every five seconds, whatever key ids strangers invent", async () => {
  const travel = stopClock();
  const { outcomeWith, keys, asked, send, claims } = await newIssuer();
  const key = await newKey();
  await outcomeWith();
  for (let times = 0; times < 20; times += 1) await outcomeWith({ ...stranger, kid: randomUUID() });
  expect(asked()).toBe(6);
  keys.push(key);
  const { outcome, headers } = await send(await sign(claims(), key));
  expect([outcome, headers]).toEqual(["jwt_key_unknown", { "Retry-After": "5" }]);
  travel(5_000);
  expect([await outcomeWith(stranger), await outcomeWith(key), asked()]).toEqual(["jwt_invalid", "issued", 7]);
});

test("an issuer's keys are loaded once for an unknown key if no keys were known before", async () => {
  const { outcomeWith, asked } = await newIssuer();
  expect([await outcomeWith(stranger), asked()]).toEqual(["jwt_invalid", 1]);
});

test("an issuer's keys are not reloaded for a JWT that names a published key but has a wrong signature", async () => {
  const { outcomeWith, asked } = await newIssuer();
  for (const key of [ec, rsa]) expect(await outcomeWith({ ...stranger, kid: key.kid })).toBe("jwt_invalid");
  expect(asked()).toBe(1);
});

test.for([true, false])(
  "an issuer's keys are used for at most ten minutes if the issuer is reachable: %s",
  async (reachable) => {
    const travel = stopClock();
    const { outcomeWith, keys, setReachable } = await newIssuer();
    expect(await outcomeWith()).toBe("issued");
    if (reachable) keys.splice(0);
    else setReachable(false);
    travel(5 * 60_000);
    // A failure in the meantime does not extend their use.
    await outcomeWith(await newKey());
    if (!reachable) expect(await outcomeWith()).toBe("issued");
    travel(5 * 60_000);
    expect(await outcomeWith()).toBe(reachable ? "jwt_invalid" : "issuer_unreachable");
  },
);

test("an unreachable issuer is retried after two seconds, and its trust shows since when it is unreachable", async () => {
  const travel = stopClock();
  const { claims, send, outcomeWith, trusted, setReachable } = await newIssuer();
  const since = async () => (await find(trusted.token_id)).unreachable_since;
  setReachable(false);
  const began = new Date().toISOString();
  const { outcome, cause, facts } = await send(await sign(claims()));
  expect([outcome, (cause as Error).message]).toEqual(["issuer_unreachable", "it cannot be reached"]);
  expect(facts).toMatchObject({ trust_id: trusted.token_id });
  travel(1_000);
  setReachable(true);
  expect([await outcomeWith(), await since()]).toEqual(["issuer_unreachable", began]);
  travel(1_000);
  expect([await outcomeWith(), await since()]).toEqual(["issued", undefined]);
});

test("an issuer's keys are kept if a reload for an unknown key fails", async () => {
  const { outcomeWith, setReachable } = await newIssuer();
  await outcomeWith();
  setReachable(false);
  expect([await outcomeWith(stranger), await outcomeWith()]).toEqual(["issuer_unreachable", "issued"]);
});

const nameless = (key: Key): Key => ({ ...key, kid: undefined as never });

test.for<[string, published: Key[], sender: Key]>([
  ["published twice", [ec, ec], ec],
  ["published with the same id as another", [{ ...stranger, kid: ec.kid }, ec], ec],
  ["not named in the JWT, beside others", [stranger, ec, rsa], nameless(ec)],
])("accepts the signature of any matching published key: %s", async ([, published, sender]) => {
  const { keys, outcomeWith } = await newIssuer();
  keys.splice(0, keys.length, ...published);
  expect(await outcomeWith(sender)).toBe("issued");
  expect(await outcomeWith({ ...unpublished, kid: sender.kid })).toBe("jwt_invalid");
});

test("an issuer's keys are reloaded for a JWT without a key id after the issuer has replaced its key", async () => {
  const { keys, outcomeWith } = await newIssuer();
  expect(await outcomeWith(nameless(ec))).toBe("issued");
  keys.splice(0, keys.length, stranger);
  expect(await outcomeWith(nameless(stranger))).toBe("issued");
});

const good = { ...(await exportJWK(ec.publicKey)), kid: ec.kid };
const broken = { kty: "EC", crv: "P-256", alg: "ES256", x: "AA", y: "AA", kid: ec.kid };

test.for<[string, object | string, outcome: string]>([
  ["a string", "rubbish", "issuer_unreachable"],
  ["another issuer", { issuer: "https://other.example" }, "issuer_unreachable"],
  ["no address for the keys", { jwks_uri: undefined }, "issuer_unreachable"],
  ["no list of keys", { keys: {} }, "issuer_unreachable"],
  ["entries that are not keys", { keys: [1, null, "x", {}] }, "jwt_invalid"],
  ["a key that cannot be imported", { keys: [broken] }, "jwt_invalid"],
  ["a secret key", { keys: [{ kty: "oct", k: "AA", kid: ec.kid }] }, "jwt_invalid"],
  ["keys of unknown kinds beside a good one", { keys: [1, { kty: "AKP" }, good] }, "issued"],
])("reads an issuer's document with %s: %s", async ([, document, outcome]) => {
  const { outcomeWith } = await newIssuer({}, (issuer) =>
    typeof document === "string" ? document : { issuer, jwks_uri: issuer, keys: [], ...document },
  );
  expect(await outcomeWith()).toBe(outcome);
});

/** Returns an outcome, the number of records that were read for it, and the number of searches for the issuer's trusts. */
const readsOf = async (outcomeOf: () => Promise<string>) => {
  const reads = [vi.spyOn(store, "find"), vi.spyOn(store, "trustsIssuer")];
  const outcome = await outcomeOf();
  const calls = reads.map(({ mock }) => mock.calls.length);
  for (const read of reads) read.mockRestore();
  return [outcome, ...calls];
};

test.for(["repo:acme/shop:ref:refs/heads/main", "repo:acme/other"])(
  "a forged JWT costs the same reads for trusted and unknown subjects: %s",
  async (sub) => {
    const { outcomeWith, asked } = await newIssuer();
    await outcomeWith();
    const forged = { ...stranger, kid: ec.kid };
    expect(await readsOf(() => outcomeWith(forged, { sub }))).toEqual(["jwt_invalid", 0, 1]);
    expect(asked()).toBe(1);
  },
);

test("a JWT from an issuer whose trusts have all ended costs one read and no request to the issuer", async () => {
  const { trusted, outcomeWith, asked } = await newIssuer();
  const note = noteOf("trust_ended");
  await store.changeTrust(trusted, { expires_at: inMs(0), revoked_at: inMs(0), revoked_by: "admin" }, note);
  expect(await readsOf(() => outcomeWith())).toEqual(["jwt_invalid", 0, 1]);
  expect(asked()).toBe(0);
});
