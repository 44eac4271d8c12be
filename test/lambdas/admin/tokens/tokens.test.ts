import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { decideRequest } from "../../../../lambdas/admin/tokens/decide-request.ts";
import { rotate } from "../../../../lambdas/admin/tokens/rotate.ts";
import { setDismissed } from "../../../../lambdas/admin/tokens/set-dismissed.ts";
import { maxDismissedAddresses } from "../../../../lambdas/domain/tokens/dismissed-addresses.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/domain/tokens/token-store.ts";
import { hashSecret, parseTokenValue } from "../../../../lambdas/domain/tokens/token-value.ts";
import { exampleRequest } from "../../../../lambdas/domain/tokens/tokens-table.ts";
import { ApiError } from "../../../../lambdas/shared/errors/api-error.ts";
import { absentId, dayMs, decided, hourMs, inMs, newToken, requestField } from "../../../kit/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import { useAdmin } from "../../support/admin.ts";
import { stopClock } from "../../support/clock.ts";
import { apiErrorOf } from "../../support/outcomes.ts";
import { words } from "../../support/words.ts";

const admin = useAdmin();

const act = (action: string, fields: object) => admin.act({ action, ...fields }, `${action}-1`);
const issue = (fields: object = {}) => act("issue", { ip: "198.51.100.7", ...fields });
const get = (token_id: string) => act("get", { token_id });

/** The fields of a token that only some tokens have. */
const absent = {
  ...Object.fromEntries(
    words(`client expires_at rate_limit last_used_at updated_at updated_by invitation request predecessor_id rotated_at
      rotated_by trust_id successor_id revoked_at revoked_by`).map((name) => [name, null]),
  ),
  dismissed_addresses: [],
};

test("an issued token is active, has the address and its issuer, and by default has no comment or expiry", async () => {
  expect(await issue()).toEqual({
    ...absent,
    token_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
    token: expect.stringMatching(/^itk_/),
    ip: "198.51.100.7",
    comment: "",
    state: "active",
    issued_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    issued_by: "invoke:issue-1",
  });
});

test("an issued token is stored with a hash of its secret instead of the secret", async () => {
  const { token_id, token = "" } = await issue({ comment: "billing sync" });
  const text = parseTokenValue(token);
  const record = await admin.store().find(token_id);
  expect(text?.token_id).toBe(token_id);
  expect(record?.secret_hash).toBe(hashSecret(text?.secret ?? ""));
  expect(JSON.stringify(record)).not.toContain(text?.secret);
});

test.for([
  [{ ip: "::ffff:198.51.100.7" }, { ip: "198.51.100.7" }],
  [{ expires_at: "2099-01-01T00:00:00.5+02:00" }, { expires_at: "2098-12-31T22:00:00.500Z" }],
  [{ expires_at: "9999-12-31T23:59:59Z" }, { expires_at: "9999-12-31T23:59:59.000Z" }],
  [{ rate_limit: 1 }, { rate_limit: 1 }],
  [{ client: "ACME" }, { client: "ACME" }],
  [{ rate_limit: 100_000 }, { rate_limit: 100_000 }],
] as const)("stores fields of an issued token in canonical form: %j", async ([sent, stored]) => {
  const { token_id, ...issued } = await issue(sent);
  expect(issued).toMatchObject({ ...stored, state: "active" });
  expect(await admin.store().find(token_id)).toMatchObject(stored);
});

test("shows a token's record with its state, but without its hash or value", async () => {
  const ended = { expires_at: inMs(-hourMs), rotated_at: inMs(-hourMs), successor_id: absentId() };
  const { secret_hash, changed_at: _, ...shown } = await admin.stored(ended);
  const token = await get(shown.token_id);
  expect(token).toEqual({ ...absent, ...shown, state: "expired" });
  expect(JSON.stringify(token)).not.toContain(secret_hash);
});

test("lists each token once across all pages, without hashes or values", async () => {
  const pageSchema = z.strictObject({
    tokens: z.array(z.looseObject({ token_id: z.string() })),
    next_cursor: z.nullable(z.string()),
  });
  const records = await Promise.all(Array.from({ length: 7 }, () => admin.stored()));
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const listed = await admin.invoke({ action: "list", limit: 3, ...(cursor && { cursor }) });
    const page: z.output<typeof pageSchema> = z.parse(pageSchema, listed);
    ids.push(...page.tokens.map(({ token_id }) => token_id));
    expect(JSON.stringify(page)).not.toMatch(/"(secret_hash|token)"/);
    cursor = page.next_cursor;
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(records.map(({ token_id }) => token_id)));
});

test("lists only the tokens that expire within so many days, if asked for them", async () => {
  const days = [29, 31].map((count) => ({ expires_at: inMs(count * dayMs) }));
  const [soon, later, never] = await Promise.all([...days, {}].map((fields) => admin.stored(fields)));
  const listed = await admin.invoke({ action: "list", limit: 1000, expires_within_days: "30" });
  const ids = (listed as { tokens: { token_id: string }[] }).tokens.map(({ token_id }) => token_id);
  expect(ids).toContain(soon?.token_id);
  expect(ids).not.toContain(later?.token_id);
  expect(ids).not.toContain(never?.token_id);
});

test("lists only the tokens of one client, named exactly", async () => {
  const names = ["one", "One", "one-2", "on", undefined];
  await Promise.all(names.map((client) => admin.stored(client === undefined ? {} : { client })));
  const listed = await admin.invoke({ action: "list", limit: 1000, client: "one" });
  expect(listed).toMatchObject({ tokens: [{ client: "one" }] });
});

test("no action changes a token's client, and the history names it", async () => {
  const { token_id } = await issue({ client: "ACME" });
  const taking = { token_id, client: "other" };
  const others = { update: { comment: "x" }, rotate: { grace_seconds: 60 }, revoke: {}, get: {} };
  for (const [action, fields] of Object.entries(others)) {
    const error = await apiErrorOf(act(action, { ...taking, ...fields }));
    expect(error, action).toMatchObject({ message: "The client field is not known." });
    expect(await act(action, { token_id, ...fields }), action).toMatchObject({ client: "ACME" });
  }
  const history = await admin.invoke({ action: "history", token_id });
  expect(history).toMatchObject({ changes: [{}, {}, {}, { kind: "issued", details: { client: "ACME" } }] });
});

test("an invitation has the admin's terms and a hash of its value, and ends after 24 hours or at the time that the admin set", async () => {
  stopClock();
  const terms = { comment: "billing sync", client: "ACME", rate_limit: 60, expires_at: inMs(30 * dayMs) };
  const { invitation_text, ...token } = await act("invite", { ...terms, valid_seconds: 300 });
  const text = parseTokenValue(String(invitation_text));
  expect(text).toMatchObject({ kind: "invitation", token_id: token.token_id });
  const invitation = { expires_at: inMs(300_000), redeemed_at: null };
  expect(token).toMatchObject({ ...terms, state: "invited", ip: null, issued_by: "invoke:invite-1", invitation });
  const record = await admin.store().find(token.token_id);
  expect(record?.invitation_hash).toBe(hashSecret(text?.secret ?? ""));
  expect(record?.secret_hash).not.toBe(record?.invitation_hash);

  const ip = "198.51.100.7";
  expect(await act("invite", { ip })).toMatchObject({ ip, invitation: { expires_at: inMs(dayMs) } });
  const message = "The expires_at must be later than the end of the invitation.";
  expect(await apiErrorOf(act("invite", { expires_at: inMs(dayMs) }))).toMatchObject({ message });
});

test("revoking a token ends it at once, records who did it, and has no further effect the second time", async () => {
  const { token_id } = await admin.stored({ expires_at: inMs(hourMs) });
  stopClock();
  const before = await get(token_id);
  const revoked = await act("revoke", { token_id });
  expect(revoked).toEqual({ ...before, state: "revoked", revoked_at: inMs(0), revoked_by: "invoke:revoke-1" });
  vi.advanceTimersByTime(hourMs);
  expect(await admin.act({ action: "revoke", token_id }, "revoke-2")).toEqual(revoked);
});

test("editing a token changes only the submitted fields, and records who did it and when", async () => {
  stopClock();
  const { token_id } = await admin.stored({ comment: "before", rate_limit: 60 });
  let expected = await get(token_id);
  for (const fields of [
    { expires_at: inMs(hourMs) },
    { comment: "" },
    { rate_limit: 100_000 },
    { expires_at: null, rate_limit: null },
  ]) {
    vi.advanceTimersByTime(1000);
    expected = { ...expected, ...fields, updated_at: inMs(0), updated_by: "invoke:update-1" };
    expect(await act("update", { token_id, ...fields })).toEqual(expected);
    expect(await get(token_id)).toEqual(expected);
  }
  const record = await admin.store().find(token_id);
  for (const field of ["rate_limit", "expires_at"]) expect(record).not.toHaveProperty(field);
});

test("rejects an edit that changes no field", async () => {
  const { token_id } = await admin.stored();
  const message = "The token_id must be sent with at least one of comment, expires_at and rate_limit.";
  expect(await apiErrorOf(act("update", { token_id }))).toMatchObject({ code: "validation_failed", message });
});

test.for([
  ["is brought forward binds successors", [20, 10], true],
  ["is given to a token without one binds successors", [undefined, 10], true],
  ["is moved outward does not bind successors", [10, 20], false],
  ["stays the same does not bind successors", [10, 10], false],
  ["is moved outward after that binds them to the later end", [20, 10, 30], true],
  ["is lifted frees successors", [20, 10, null], false],
] as const)("an expiry that %s", async ([, [before, ...edits], binds]) => {
  stopClock();
  const end = (hours: number | null) => hours && inMs(hours * hourMs);
  const { token_id } = await admin.stored(before === undefined ? {} : { expires_at: inMs(before * hourMs) });
  for (const hours of edits) await act("update", { token_id, expires_at: end(hours) });
  const { expires_at } = await act("rotate", { token_id, grace_seconds: 0 });
  expect(expires_at === end(edits.at(-1) ?? null) && expires_at !== null).toBe(binds);
});

test("a rotated token can be edited while it is valid, except for its expiry", async () => {
  const expires_at = inMs(hourMs);
  const { token_id } = await admin.stored({ expires_at, successor_id: absentId() });
  expect(await act("update", { token_id, comment: "x", rate_limit: 1 })).toMatchObject({ state: "active" });
  for (const end of [inMs(60_000), inMs(2 * hourMs), null]) {
    const error = await apiErrorOf(act("update", { token_id, expires_at: end, rate_limit: 2 }));
    expect(error).toMatchObject({ code: "token_already_rotated" });
  }
  expect(await get(token_id)).toMatchObject({ rate_limit: 1, expires_at });
});

/* test/tools/lab/simulation/life-cycle.test.ts tests which requests can be decided. */
test.for([
  ["confirmed", "rejected", "request_changed"],
  ["rejected", "confirmed", "request_changed"],
  ["confirmed", "confirmed", "done"],
  ["rejected", "rejected", "done"],
] as const)(
  "an admin who decides %s just after another admin decided %s gets: %s",
  async ([decision, other, expected]) => {
    const { ip, code } = exampleRequest;
    const { record } = newToken({ request: requestField() });
    const token = { ...record, request: requestField(decided(other)) };
    const tokens = { find: async () => record, request: vi.fn(async () => ({ made: false, token })) };

    const deciding = decideRequest(tokens, { token_id: record.token_id, ip, code, decision, author });
    const outcome = await deciding.catch((error: unknown) => error);
    expect(tokens.request).toHaveBeenCalledOnce();
    if (expected === "done") expect(outcome).toBe(token);
    else expect(outcome instanceof ApiError && outcome.code).toBe(expected);
  },
);

const rotateBy = (grace_seconds: number, { token_id }: TokenRecord) => act("rotate", { token_id, grace_seconds });

/* test/lambdas/domain/tokens/succession.test.ts tests what a successor is like, and when its predecessor ends. */
test("rotating a token returns its successor with its value, and names the admin as the author of both", async () => {
  const old = await admin.stored();
  const { token_id, token, issued_by, predecessor_id } = await rotateBy(60, old);
  expect(token).toContain(`itk_${token_id}_`);
  expect({ issued_by, predecessor_id }).toEqual({ issued_by: "invoke:rotate-1", predecessor_id: old.token_id });
  const rotated = { successor_id: token_id, rotated_by: "invoke:rotate-1", secret_hash: old.secret_hash };
  expect(await admin.store().find(old.token_id)).toMatchObject(rotated);
});

test.for<[string, string, (old: TokenRecord) => Promise<unknown>, Partial<TokenStore>]>([
  ["another rotation with a grace", "token_already_rotated", (old) => rotateBy(3_600, old), {}],
  ["another rotation without one", "token_not_active", (old) => rotateBy(0, old), {}],
  ["a revocation", "token_not_active", ({ token_id }) => act("revoke", { token_id }), {}],
  ["an edit", "unavailable", ({ token_id }) => act("update", { token_id, expires_at: inMs(hourMs) }), {}],
  ["a failure", "unavailable", async () => {}, { rotate: () => Promise.reject(new ApiError("unavailable")) }],
])("a rotation that loses a race against %s is rejected with %s", async ([, code, meanwhile, more]) => {
  const old = await admin.stored();
  const tokens = admin.store();
  const insert: TokenStore["insert"] = async (record) => {
    await tokens.insert(record, noteOf("issued"));
    await meanwhile(old);
  };
  const stores = { tokens: { ...tokens, insert, ...more } };
  const error = await apiErrorOf(rotate.run({ token_id: old.token_id, grace_seconds: 60 }, { author, stores }));
  expect(error.code).toBe(code);
  const { successor_id = "" } = (await tokens.find(old.token_id)) ?? {};
  if (code === "token_already_rotated") expect(error.message).toContain(successor_id);
});

const dismiss = (token_id: string, ip: string) => act("dismiss_leak", { token_id, ip });
const restore = (token_id: string, ip: string) => act("restore_leak", { token_id, ip });

test("dismissing a leak records the canonical address, the admin and the time once, and also applies to successors", async () => {
  stopClock();
  const { token_id } = await admin.stored();
  const token = await dismiss(token_id, "2001:DB8:0::1");
  const [updated_at, updated_by] = [inMs(0), "invoke:dismiss_leak-1"];
  const dismissed_addresses = [{ ip: "2001:db8::1", dismissed_at: updated_at, dismissed_by: updated_by }];
  expect(token).toMatchObject({ dismissed_addresses, updated_at, updated_by });
  vi.advanceTimersByTime(1000);
  expect(await dismiss(token_id, "2001:db8::1")).toEqual(token);
  expect(await get(token_id)).toEqual(token);
  expect(await act("rotate", { token_id, grace_seconds: 0 })).toMatchObject({ dismissed_addresses });
});

test("restoring a leak undoes its dismissal, and requires an address that was dismissed", async () => {
  const { token_id } = await admin.stored();
  const [ip, other] = ["203.0.113.9", "203.0.113.10"];
  const before = await get(token_id);
  expect(await restore(token_id, ip)).toEqual(before);
  for (const address of [ip, other]) await dismiss(token_id, address);
  const left = { dismissed_addresses: [{ ip: other }], updated_by: "invoke:restore_leak-1" };
  expect(await restore(token_id, ip)).toMatchObject(left);
  expect(await restore(token_id, other)).toMatchObject({ dismissed_addresses: [] });
  expect(await admin.store().find(token_id)).not.toHaveProperty("dismissed_addresses");
});

test("a dismissal keeps the address that another admin has dismissed meanwhile", async () => {
  const tokens = admin.store();
  const { token_id } = await admin.stored();
  const [find, ip, other] = [vi.fn(tokens.find), "203.0.113.9", "203.0.113.10"];
  find.mockResolvedValueOnce(await tokens.find(token_id));
  await dismiss(token_id, other);
  await setDismissed({ ...tokens, find }, { token_id, ip, author }, true);
  expect(await get(token_id)).toMatchObject({ dismissed_addresses: [{ ip: other }, { ip }] });
});

test("a record accepts dismissed addresses up to its limit", async () => {
  const all = Array.from({ length: maxDismissedAddresses }, (_, index) => `203.0.113.${index}`);
  const dismissed = all.map((ip) => ({ ip, dismissed_at: inMs(0), dismissed_by: "admin" }));
  const { token_id } = await admin.stored({ dismissed_addresses: JSON.stringify(dismissed) });
  const message = expect.stringMatching(/^The ip cannot be dismissed/);
  expect(await apiErrorOf(dismiss(token_id, "198.51.100.1"))).toMatchObject({ code: "validation_failed", message });
  expect(await dismiss(token_id, "203.0.113.1")).toMatchObject({ state: "active" });
});
