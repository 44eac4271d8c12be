import { expect, test } from "vitest";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { absentId, inMs, newToken } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { useAdmin } from "../support/admin.ts";
import { stopClock } from "../support/clock.ts";
import { apiErrorOf } from "../support/outcomes.ts";

const admin = useAdmin();
const act = (action: string, fields: object = {}) =>
  admin.invoke({ action, ...fields }) as Promise<Record<string, unknown> & { trust_id: string }>;

let created = 0;
/** Trusts a separate workload. */
const create = (fields: object = {}) => {
  created += 1;
  const { issuer } = exampleTrust;
  return act("create_trust", { issuer, subject: `repo:acme/shop:environment:${created}`, ...fields });
};

const changesOf = async (token_id: string) => {
  const { changes } = await act("history", { token_id });
  return (changes as Record<string, unknown>[]).map(({ kind, details }) => [kind, details]);
};

const expectRefusal = async (acting: Promise<unknown>, code = "validation_failed") =>
  expect(await apiErrorOf(acting)).toMatchObject({ code });

test("a workload is trusted, found, changed and then no longer trusted, and its history records each step", async () => {
  const trust = await create({ comment: "shop", client: "ACME" });
  const { trust_id, issuer, subject } = trust;
  expect(trust).toMatchObject({
    ...{
      comment: "shop",
      client: "ACME",
      state: "active",
      token_seconds: 3600,
      ip: null,
      rate_limit: null,
      expires_at: null,
    },
    ...{ created_by: "invoke:admin-1", updated_at: null, unreachable_since: null },
  });
  expect(await act("get_trust", { trust_id })).toEqual(trust);
  expect(await act("list_trusts")).toMatchObject({ trusts: expect.arrayContaining([trust]) });
  expect(await act("list_trusts", { client: "ACME" })).toMatchObject({ trusts: [trust] });
  expect(await act("list_trusts", { client: "acme" })).toEqual({ trusts: [] });
  await expectRefusal(act("update_trust", { trust_id, client: "other" }));
  await expectRefusal(create({ subject, client: "other" }));
  expect((await act("list")).tokens).toEqual([]);

  const terms = { token_seconds: 600, ip: "2001:db8::1", rate_limit: 5 };
  const updated = await act("update_trust", { trust_id, ...terms, ip: "2001:DB8::1" });
  expect(updated).toMatchObject({ ...terms, updated_by: "invoke:admin-1" });
  const none = { ip: null, rate_limit: null };
  const widened = await act("update_trust", { trust_id, ...none });
  expect(widened).toMatchObject({ ...none, tokens_since: updated.tokens_since });
  const { tokens_since } = await act("end_trust_tokens", { trust_id });
  const ends = [trust, updated, { tokens_since }].map((one) => String(one.tokens_since));
  expect(ends).toEqual([...new Set(ends)].toSorted());
  const ended = await act("end_trust", { trust_id });
  expect(ended).toMatchObject({ state: "ended", subject, issuer, client: "ACME" });
  expect(await act("end_trust", { trust_id })).toEqual(ended);
  expect(await changesOf(trust_id)).toEqual([
    ["trust_ended", {}],
    ["trust_updated", { tokens: "ended" }],
    ["trust_updated", { ip: "none", rate_limit: "none" }],
    ["trust_updated", { token_seconds: "600", ip: "2001:db8::1", rate_limit: "5" }],
    ["trusted", { issuer, subject, client: "ACME" }],
  ]);
});

test("an ended trust cannot be changed, but can be created again without its old terms", async () => {
  const { trust_id, subject, tokens_since } = await create({ client: "ACME", rate_limit: 5, expires_at: inMs(60_000) });
  await act("end_trust", { trust_id });
  await expectRefusal(act("update_trust", { trust_id, comment: "x" }), "trust_ended");
  const again = await create({ subject });
  expect(again).toMatchObject({
    trust_id,
    state: "active",
    client: null,
    rate_limit: null,
    expires_at: null,
    updated_at: null,
  });
  expect(String(again.tokens_since) > String(tokens_since)).toBe(true);
  await expectRefusal(create({ subject }));
});

test("an expired trust cannot be changed", async () => {
  const travel = stopClock();
  const { trust_id } = await create({ expires_at: inMs(60_000) });
  travel(60_000);
  await expectRefusal(act("update_trust", { trust_id, expires_at: null }), "trust_ended");
  expect(await act("end_trust_tokens", { trust_id })).toMatchObject({ state: "ended", updated_at: null });
});

test.for<[string, object]>([
  ["an issuer without TLS", { issuer: "http://issuer.example" }],
  ["an issuer that cannot be public", { issuer: "https://169.254.169.254" }],
  ["a wildcard", { subject: "repo:acme/*" }],
  ["no subject", { subject: "" }],
  ["a control character", { subject: "repo:acme/shop\n" }],
  ["a life of a minute", { token_seconds: 60 }],
  ["a life of two days", { token_seconds: 172_800 }],
  ["a range of addresses", { ip: "198.51.100.0/24" }],
  ["an end in the past", { expires_at: "2020-01-01T00:00:00Z" }],
])("rejects %s", ([, fields]) => expectRefusal(create(fields)));

test("rejects another kind of id as a trust's id, and a trust's id as a token's", async () => {
  const { token_id } = await admin.stored();
  const { trust_id } = await create();
  await expectRefusal(act("get_trust", { trust_id: token_id }));
  await expectRefusal(act("end_trust", { trust_id: "0".repeat(10) + absentId().slice(10) }), "trust_not_found");
  for (const action of ["get", "revoke"]) await expectRefusal(act(action, { token_id: trust_id }));
});

test("a workload's token names its trust, ends with it, and takes its expiry and limit from it", async () => {
  const { trust_id, tokens_since } = await create();
  const { record } = newToken({ trust_id, trusted_at: String(tokens_since), expires_at: inMs(60_000) });
  await admin.store().exchange(record, noteOf("exchanged"));
  const { token_id } = record;
  const listed = async () => (await act("list", { limit: 1000 })).tokens;
  const shown = (state: string) => expect.arrayContaining([expect.objectContaining({ token_id, trust_id, state })]);
  expect(await listed()).toEqual(shown("active"));
  for (const fields of [{ expires_at: null }, { rate_limit: 5 }])
    await expectRefusal(act("update", { token_id, ...fields }));
  expect(await act("update", { token_id, comment: "x" })).toMatchObject({ comment: "x" });
  await act("end_trust", { trust_id });
  // The clock of another function may be slow.
  for (const aheadMs of [0, -5_000]) {
    stopClock(aheadMs);
    expect(await listed()).toEqual(shown("revoked"));
    expect(await act("get", { token_id })).toMatchObject({ state: "revoked" });
  }
});
