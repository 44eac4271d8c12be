import { expect, test, vi } from "vitest";
import type { AddressRequest } from "../../../../../lambdas/domain/tokens/address-request.ts";
import {
  repeatedValue,
  requestAddress,
  untilMade,
} from "../../../../../lambdas/domain/tokens/by-client/client-changes.ts";
import { moveToken, rotateOwnToken } from "../../../../../lambdas/domain/tokens/by-client/client-succession.ts";
import { redeemInvitation } from "../../../../../lambdas/domain/tokens/by-client/redemption.ts";
import type { TokenRecord, TokenStore } from "../../../../../lambdas/domain/tokens/token-store.ts";
import {
  deriveSecret,
  formatTokenValue,
  hashSecret,
  newNonce,
  parseTokenValue,
} from "../../../../../lambdas/domain/tokens/token-value.ts";
import { newUlid } from "../../../../../lambdas/shared/ulid.ts";
import { absentId, dayMs, decided, inMs, newToken, requestField } from "../../../../kit/support/tokens.ts";
import { author } from "../../../../support/authors.ts";
import { stopClock } from "../../../support/clock.ts";
import { apiErrorOf } from "../../../support/outcomes.ts";
import { away, elsewhere, holderOf, home, openTokenStore, recordIn } from "../../../support/stores.ts";

const { store, stored, issue, invite, find, lastChange } = await openTokenStore();

const calls = {
  rotates: (token: TokenRecord, ip = home, graceSeconds = 60) =>
    rotateOwnToken(holderOf(token, ip), graceSeconds, store),
  moves: (token: TokenRecord, ip = away) => moveToken(holderOf(token, ip), store),
  redeems: (token: TokenRecord, ip = home) => redeemInvitation(holderOf(token, ip), store),
};
const { rotates: rotate, moves: move, redeems: redeem } = calls;
type Outcome = Awaited<ReturnType<(typeof calls)[keyof typeof calls]>>;

const issuedValue = (outcome: Outcome): string => {
  if (outcome.outcome !== "issued") throw new Error(`nothing was issued: ${JSON.stringify(outcome)}`);
  return outcome.value;
};

/* test/tools/lab/simulation/life-cycle.test.ts tests the outcome of each call in every phase, and of its repetition. */
test.for([
  ["rotates", "active", away, "ip_not_allowed"],
  ["rotates", "rotated", home, "token_already_rotated"],
  ["rotates", "expired", home, "token_expired"],
  ["moves", "active", home, "move_not_needed"],
  ["moves", "move_confirmed", elsewhere, "ip_not_allowed"],
  ["moves", "replaced", away, "token_expired"],
  ["redeems", "invited", away, "ip_not_allowed"],
  ["redeems", "revoked", home, "invitation_revoked"],
] as const)(
  "a client that %s a token in the phase %s, from the address %s, gets %s with the facts for the log",
  async ([call, phase, ip, code]) => {
    const invitation = { invitation_hash: hashSecret("invitation"), ip: home };
    const token = await stored(recordIn(phase, call === "redeems" ? invitation : {}));
    const values: Record<string, object> = {
      ip_not_allowed: { values: { ip } },
      move_not_needed: { values: { ip } },
      token_already_rotated: { values: { successor_id: token.successor_id } },
    };
    const leak = ip !== home && { leak_signal: "right secret, wrong address" };
    const options = { ...values[code], facts: { token_id: token.token_id, ...leak } };
    expect(await calls[call](token, ip)).toEqual({ outcome: "refused", code, options });
  },
);

test("a client that rotates its token gets a successor for its address, and is named as the author", async () => {
  const old = await issue();
  const outcome = await rotate(old);
  const { successor_id = "", expires_at: oldEndsAt, rotated_by } = await find(old.token_id);
  const token = { ...(await find(successor_id)), changed_at: expect.any(String) };
  expect(outcome).toMatchObject({ outcome: "issued", token, oldEndsAt });
  expect(parseTokenValue(issuedValue(outcome))).toMatchObject({ token_id: successor_id });
  expect(token).toMatchObject({ ip: home, repeat_nonce: expect.any(String), issued_by: rotated_by });
  expect(rotated_by).toBe(`token:${old.token_id}:${home}`);
  expect((await lastChange(old.token_id)).author).toEqual(holderOf(old, home).author);
});

test.for([
  [0, 1, "ends it at once"],
  [58, 59, "ends it sooner"],
  [59, 60, "changes nothing"],
  [604_800, 60, "changes nothing"],
] as const)(
  "a repeated rotation returns the same successor; a grace of %i s instead of 60 s, ending after %i s, %s",
  async ([again, endsAfter]) => {
    stopClock();
    const old = await issue();
    const value = issuedValue(await rotate(old));
    const { rotated_at, rotated_by } = await find(old.token_id);

    const oldEndsAt = inMs(endsAfter * 1000);
    vi.advanceTimersByTime(1000);
    expect(await rotate(old, home, again)).toMatchObject({ outcome: "issued", value, oldEndsAt });
    expect(await find(old.token_id)).toMatchObject({ rotated_at, rotated_by, expires_at: oldEndsAt });
    expect(await lastChange(old.token_id)).toMatchObject({ kind: "rotated", details: { expires_at: oldEndsAt } });
    for (const seen of [old, await find(old.token_id)]) expect(await rotate(seen)).toMatchObject({ value, oldEndsAt });
    expect(await find(old.token_id)).toMatchObject({ rotated_at, rotated_by, expires_at: oldEndsAt });
  },
);

test("a client that moves its token waits for confirmation, and then gets the same successor each time", async () => {
  const { token_id } = await issue();
  const first = await move(await find(token_id));
  expect(first).toMatchObject({ outcome: "requested", request: { ip: away }, isNew: true });
  expect(await move(await find(token_id))).toEqual({ ...first, isNew: false });
  const { code } = "request" in first ? first.request : {};
  const details = { ip: away, code };
  expect(await lastChange(token_id)).toMatchObject({ kind: "requested", author: { from: away }, details });

  const old = await stored(recordIn("move_confirmed"));
  const outcome = await move(old);
  const { successor_id = "", rotated_at, expires_at } = await find(old.token_id);
  expect(outcome).toMatchObject({ token: { token_id: successor_id, ip: away } });
  expect(expires_at).toBe(rotated_at);
  expect((await lastChange(old.token_id)).kind).toBe("moved");
  expect(issuedValue(await move(await find(old.token_id)))).toBe(issuedValue(outcome));
});

test("a client that redeems its invitation gets a token with the expiry that the admin set", async () => {
  const token_expires_at = inMs(30 * dayMs);
  const { token_id } = await invite({ token_expires_at });
  const outcome = await redeem(await find(token_id));

  const token = await find(token_id);
  const issued = { ...token, changed_at: expect.any(String) };
  expect(outcome).toEqual({ outcome: "issued", token: issued, value: expect.any(String) });
  const { secret = "", ...text } = parseTokenValue(issuedValue(outcome)) ?? {};
  expect(text).toEqual({ token_id, kind: "token" });
  const [redeemed_at, repeat_nonce] = [expect.any(String), expect.any(String)];
  const secret_hash = hashSecret(secret);
  expect(token).toMatchObject({ secret_hash, redeemed_at, repeat_nonce, expires_at: token_expires_at });
});

test("a redeemed token never ends if the admin set no expiry, and has ended if the expiry has passed", async () => {
  const invitation = await invite();
  await redeem(invitation);
  expect(await find(invitation.token_id)).not.toHaveProperty("expires_at");
  expect(await redeem(await invite({ token_expires_at: inMs(-1) }))).toMatchObject({ outcome: "issued" });
});

test("redeeming again returns the same token until it is used, even if another call finished first", async () => {
  const invitation = await invite();
  const text = issuedValue(await redeem(invitation));
  for (const seen of [invitation, await find(invitation.token_id)]) expect(issuedValue(await redeem(seen))).toBe(text);
  await store.recordUse(invitation.token_id, inMs(0));
  expect(await redeem(await find(invitation.token_id))).toMatchObject({ code: "invitation_used" });
});

const now = "2026-11-21T10:15:30.123Z";
const { record } = newToken();
const changed = { ...record, comment: "changed meanwhile" };

test("a client's change is retried with the current record and time if another change was made first", async () => {
  stopClock();
  const began = inMs(0);
  const step = vi.fn(async (seen: object, _now: string) => {
    vi.advanceTimersByTime(1);
    return seen === changed ? { outcome: "done" } : { current: changed };
  });
  expect(await untilMade<object>(record, step)).toEqual({ outcome: "done" });
  expect(step.mock.calls).toEqual([
    [record, began],
    [changed, inMs(-1)],
  ]);
});

test.for([
  ["after three tries", changed, 3],
  ["at once if the record is gone", undefined, 1],
] as const)("a client's change is abandoned %s", async ([, current, tries]) => {
  const step = vi.fn(async () => ({ current }));
  const cause = { message: "Other changes of the same token came first." };
  expect(await apiErrorOf(untilMade(record, step))).toMatchObject({ code: "unavailable", cause });
  expect(step).toHaveBeenCalledTimes(tries);
});

const lastTime = "2026-11-21T10:30:30.122Z";
const repeat_nonce = newNonce();
const text = deriveSecret("secret", { token_id: newUlid(), nonce: repeat_nonce });
const derived = newToken({
  token_id: text.token_id,
  secret_hash: hashSecret(text.secret),
  repeat_nonce,
  issued_at: now,
  // A later edit by an admin does not extend the time.
  changed_at: lastTime,
  updated_at: lastTime,
}).record;
const caller = { secret: "secret", ip: home };

test("returns a token's value again within 15 minutes after it was issued or redeemed, even after a rotation", () => {
  const redeemed = { ...derived, issued_at: "2026-01-01T00:00:00.000Z", redeemed_at: now };
  const rotated = { ...derived, successor_id: absentId(), expires_at: lastTime };
  for (const token of [derived, redeemed, rotated])
    expect(repeatedValue(token, caller, token === rotated ? now : lastTime)).toBe(formatTokenValue(text));
  expect(repeatedValue(derived, caller, "2026-11-21T10:30:30.123Z")).toBeUndefined();
});

test.for([
  ["for another secret", derived, { ...caller, secret: "another" }],
  ["if it has expired", { ...derived, expires_at: now }, caller],
  ["if it was revoked", { ...derived, revoked_at: now, revoked_by: "admin" }, caller],
] as const)("does not return a token's value again %s", ([, token, caller]) => {
  expect(repeatedValue(token, caller, now)).toBeUndefined();
});

/** Returns the outcome of a request for an address after the previous one, in a store where another change comes first. */
const ask = async (previous?: Partial<AddressRequest>) => {
  const first = { ip: away, requested_at: now, first_at: now };
  const { record } = newToken(previous && { request: requestField({ ...first, ...previous }) });
  const request = vi.fn<TokenStore["request"]>(async () => ({ made: false, token: record }));
  return { record, request, outcome: await requestAddress({ request }, record, { ip: away, author, now }) };
};

test("a request for an address returns the current record if another change was made first", async () => {
  const { record, outcome } = await ask();
  expect(outcome).toEqual({ current: record });
});

const tenBefore = { attempts: 10, ip: elsewhere, first_at: "2026-11-20T10:16:00.000Z" };

test.for<[string, Partial<AddressRequest>, string, object, string]>([
  ["rejected address", decided("rejected"), "request_rejected", { values: { ip: away } }, "that was rejected"],
  [
    "too many requests for confirmation",
    tenBefore,
    "too_many_requests",
    { headers: { "Retry-After": "30" } },
    "after ten within a day",
  ],
])("rejects a request for an address with the leak signal %s: %s", async ([warning, previous, code, options]) => {
  const { record, request, outcome } = await ask(previous);
  const facts = { token_id: record.token_id, leak_signal: `right secret, ${warning}` };
  expect(outcome).toEqual({ outcome: "refused", code, options: { ...options, facts } });
  expect(request).not.toHaveBeenCalled();
});
