import { randomUUID } from "node:crypto";
import { exportJWK } from "jose";
import { expect, test, vi } from "vitest";
import { inMs } from "../../../../kit/support/tokens.ts";
import { noteOf } from "../../../../support/authors.ts";
import { stopClock } from "../../../support/clock.ts";
import { ec, type Key, newKey, openIssuers, rsa, sign, stranger } from "../../../support/issuers.ts";

const { store, find, newIssuer } = await openIssuers();

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
  expect(await outcomeWith({ ...(await newKey()), kid: sender.kid })).toBe("jwt_invalid");
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
