import { expect, test } from "vitest";
import { authenticate } from "../../../../../lambdas/domain/tokens/authenticate.ts";
import { unknownIp } from "../../../../../lambdas/domain/tokens/ip-address.ts";
import { parseTokenValue } from "../../../../../lambdas/domain/tokens/token-value.ts";
import { type Trust, trustIdOf } from "../../../../../lambdas/domain/tokens/trust.ts";
import { inMs } from "../../../../kit/support/tokens.ts";
import { noteOf } from "../../../../support/authors.ts";
import { ec, openIssuers, sign } from "../../../support/issuers.ts";
import { apiErrorOf } from "../../../support/outcomes.ts";
import { away, home } from "../../../support/stores.ts";

const { store, find, newIssuer } = await openIssuers();

type Terms = Parameters<typeof store.changeTrust>[1];

/** Creates a workload that makes calls with a token. */
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
