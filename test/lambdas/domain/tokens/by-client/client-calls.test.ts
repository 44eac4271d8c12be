import { describe, expect, onTestFinished, test, vi } from "vitest";
import { moveToken, rotateOwnToken } from "../../../../../lambdas/domain/tokens/by-client/client-succession.ts";
import { redeemInvitation } from "../../../../../lambdas/domain/tokens/by-client/redeem-invitation.ts";
import type { Phase } from "../../../../../lambdas/domain/tokens/token-state.ts";
import type { TokenRecord, TokenStore } from "../../../../../lambdas/domain/tokens/token-store.ts";
import { hashSecret, parseTokenValue } from "../../../../../lambdas/domain/tokens/token-value.ts";
import { dayMs, inMs } from "../../../../kit/support/tokens.ts";
import { apiErrorOf } from "../../../support/outcomes.ts";
import { away, elsewhere, holderOf, home, openTokenStore, recordIn } from "../../../support/stores.ts";

const { store, stored, issue, invite, find, lastChange } = await openTokenStore();

const graceSeconds = 60;
const calls = {
  rotates: (token: TokenRecord, ip = home, tokens: TokenStore = store, grace = graceSeconds) =>
    rotateOwnToken(holderOf(token, ip), grace, tokens),
  moves: (token: TokenRecord, ip = away) => moveToken(holderOf(token, ip), store),
  redeems: (token: TokenRecord, ip = home, tokens: TokenStore = store) => redeemInvitation(holderOf(token, ip), tokens),
};
const { rotates: rotate, moves: move, redeems: redeem } = calls;
type Outcome = Awaited<ReturnType<(typeof calls)[keyof typeof calls]>>;

const textOf = (outcome: Outcome): string => {
  if (outcome.outcome !== "issued") throw new Error(`nothing was issued: ${JSON.stringify(outcome)}`);
  return outcome.text;
};

describe("a client gets the response for its token's phase:", () => {
  type State = Phase | "used invitation";
  const ended = { expired: "token_expired", replaced: "token_expired", revoked: "token_revoked" };
  const unrotated = (outcome: string) => ({ active: outcome, moving: outcome, move_confirmed: outcome });
  const rotated = { rotated: "token_already_rotated" };
  const used = { revoked: "invitation_revoked", "used invitation": "invitation_used" };

  const responses: [keyof typeof calls, string, { [In in State]?: string }][] = [
    ["rotates", home, { ...unrotated("issued"), ...rotated, ...ended }],
    ["rotates", away, { ...unrotated("ip_not_allowed"), rotated: "ip_not_allowed", ...ended }],
    ["moves", home, { ...unrotated("move_not_needed"), ...rotated, ...ended }],
    ["moves", away, { active: "requested", moving: "requested", move_confirmed: "issued", ...rotated, ...ended }],
    [
      "moves",
      elsewhere,
      { active: "requested", moving: "requested", move_confirmed: "ip_not_allowed", ...rotated, ...ended },
    ],
    ["redeems", home, { invited: "issued", expired: "invitation_expired", ...used }],
    ["redeems", away, { invited: "ip_not_allowed", expired: "invitation_expired", ...used }],
  ];
  const invitation = { invitation_hash: hashSecret("invitation"), ip: home };
  const cases = responses.flatMap(([call, ip, byState]) =>
    Object.entries(byState).map(([state, response]) => ({ call, ip, state: state as State, response })),
  );

  test.for(cases)(
    "one that $call a token that is $state from $ip: $response",
    async ({ call, ip, state, response }) => {
      const fields = {
        ...(call === "redeems" && invitation),
        ...(state === "used invitation" && { redeemed_at: inMs(0) }),
      };
      const token = await stored(recordIn(state === "used invitation" ? "active" : state, fields));
      const outcome = await calls[call](token, ip);
      if (response === "issued" || response === "requested") return expect(outcome.outcome).toBe(response);

      const values: Record<string, object> = {
        ip_not_allowed: { values: { ip } },
        move_not_needed: { values: { ip } },
        token_already_rotated: { values: { successor_id: token.successor_id } },
      };
      const leak = ip !== home && { leak_signal: "right secret, wrong address" };
      const options = { ...values[response], facts: { token_id: token.token_id, ...leak } };
      expect(outcome).toEqual({ outcome: "refused", code: response, options });
    },
  );
});

describe("a client that rotates its token", () => {
  test("gets a successor for its address, and the old token ends after its grace period", async () => {
    const old = await issue();
    const outcome = await rotate(old);

    const { successor_id = "", rotated_at = "", expires_at = "", rotated_by } = await find(old.token_id);
    const token = await find(successor_id);
    expect(outcome).toMatchObject({
      outcome: "issued",
      token: { ...token, changed_at: expect.any(String) },
      text: expect.any(String),
      oldEndsAt: expires_at,
    });
    expect(parseTokenValue(textOf(outcome))).toMatchObject({ token_id: successor_id });
    expect(token).toMatchObject({ ip: home, repeat_nonce: expect.any(String), issued_by: rotated_by });
    expect(rotated_by).toBe(`token:${old.token_id}:${home}`);
    expect(Date.parse(expires_at) - Date.parse(rotated_at)).toBe(graceSeconds * 1000);
    expect((await lastChange(old.token_id)).author).toEqual(holderOf(old, home).author);
  });

  test.for([
    [0, 1, "ends it at once"],
    [58, 59, "ends it sooner"],
    [59, 60, "changes nothing"],
    [604_800, 60, "changes nothing"],
  ] as const)(
    "again a second later gets the same successor; a grace of %i s instead of 60 s, which ends after %i s, %s",
    async ([again, endsAfter]) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      const old = await issue();
      const text = textOf(await rotate(old));
      const { rotated_at, rotated_by } = await find(old.token_id);

      const oldEndsAt = inMs(endsAfter * 1000);
      vi.advanceTimersByTime(1000);
      expect(await rotate(old, home, store, again)).toMatchObject({ outcome: "issued", text, oldEndsAt });
      expect(await find(old.token_id)).toMatchObject({ rotated_at, rotated_by, expires_at: oldEndsAt });
      expect(await lastChange(old.token_id)).toMatchObject({ kind: "rotated", details: { expires_at: oldEndsAt } });
      for (const seen of [old, await find(old.token_id)]) expect(await rotate(seen)).toMatchObject({ text, oldEndsAt });
      expect(await find(old.token_id)).toMatchObject({ rotated_at, rotated_by, expires_at: oldEndsAt });
    },
  );
});

test("a client that moves its token waits for confirmation, then gets a successor, and the same one if it repeats the call", async () => {
  const { token_id } = await issue();
  const asked = await move(await find(token_id));
  expect(asked).toMatchObject({ outcome: "requested", request: { ip: away }, isNew: true });
  expect(await move(await find(token_id))).toEqual({ ...asked, isNew: false });
  const { code } = "request" in asked ? asked.request : {};
  const details = { ip: away, code };
  expect(await lastChange(token_id)).toMatchObject({ kind: "requested", author: { from: away }, details });

  const old = await stored(recordIn("move_confirmed"));
  const outcome = await move(old);
  const { successor_id = "", rotated_at, expires_at } = await find(old.token_id);
  expect(outcome).toMatchObject({ token: { token_id: successor_id, ip: away } });
  expect(expires_at).toBe(rotated_at);
  expect((await lastChange(old.token_id)).kind).toBe("moved");
  expect(textOf(await move(await find(old.token_id)))).toBe(textOf(outcome));
});

describe("a client that redeems its invitation", () => {
  test("gets a token with the expiry that the admin has set", async () => {
    const token_expires_at = inMs(30 * dayMs);
    const { token_id } = await invite({ token_expires_at });
    const outcome = await redeem(await find(token_id));

    const token = await find(token_id);
    expect(outcome).toEqual({
      outcome: "issued",
      token: { ...token, changed_at: expect.any(String) },
      text: expect.any(String),
    });
    const { secret = "", ...text } = parseTokenValue(textOf(outcome)) ?? {};
    expect(text).toEqual({ token_id, kind: "token" });
    const [redeemed_at, repeat_nonce] = [expect.any(String), expect.any(String)];
    const secret_hash = hashSecret(secret);
    expect(token).toMatchObject({ secret_hash, redeemed_at, repeat_nonce, expires_at: token_expires_at });
  });

  test("gets a token that never ends if the admin has set no expiry, and an expired token if the expiry has passed", async () => {
    const invitation = await invite();
    await redeem(invitation);
    expect(await find(invitation.token_id)).not.toHaveProperty("expires_at");
    expect(await redeem(await invite({ token_expires_at: inMs(-1) }))).toMatchObject({ outcome: "issued" });
  });

  test("gets the same token again until it is used, even if another call came first", async () => {
    const invitation = await invite();
    const text = textOf(await redeem(invitation));
    for (const seen of [invitation, await find(invitation.token_id)]) expect(textOf(await redeem(seen))).toBe(text);
    await store.recordUse(invitation.token_id, inMs(0));
    expect(await redeem(await find(invitation.token_id))).toMatchObject({ code: "invitation_used" });
  });

  test("returns unavailable if the invitation was deleted meanwhile", async () => {
    const redeem = async () => ({ made: false, token: undefined });
    const outcome = calls.redeems(await invite(), home, { ...store, redeem });
    expect(await apiErrorOf(outcome)).toMatchObject({ code: "unavailable" });
  });
});
