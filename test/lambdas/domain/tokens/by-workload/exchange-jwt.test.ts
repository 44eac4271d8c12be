import { exportJWK, SignJWT } from "jose";
import { expect, test } from "vitest";
import { authenticate } from "../../../../../lambdas/domain/tokens/authenticate.ts";
import { inMs } from "../../../../kit/support/tokens.ts";
import { author, noteOf } from "../../../../support/authors.ts";
import { stopClock } from "../../../support/clock.ts";
import { ec, edwards, openIssuers, p384, rsa, rsa512, sign, stranger } from "../../../support/issuers.ts";
import { away, home } from "../../../support/stores.ts";

const { store, lastChange, newIssuer } = await openIssuers();

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
