import { describe, expect, test } from "vitest";
import { redeemInvitation } from "../../../../../lambdas/resources/tokens/by-client/redeem-invitation.ts";
import { unknownIp } from "../../../../../lambdas/resources/tokens/ip-address.ts";
import type { TokenRecord, TokenStore } from "../../../../../lambdas/resources/tokens/token-store.ts";
import { hashSecret, parseTokenText } from "../../../../../lambdas/resources/tokens/token-text.ts";
import { dayMs, inMs, newInvitation } from "../../../../../tools/support/tokens.ts";
import { author } from "../../../../support/authors.ts";
import { holderOf, refusal, useTokenStore, wrongAddress } from "../../../support/token-store.ts";

const { store, stored, find } = useTokenStore();
const [home, away] = ["198.51.100.7", "203.0.113.50"];

const invite = (fields: Partial<TokenRecord> = {}) => stored(newInvitation({ ip: home, ...fields }).record);

const redeem = (invitation: TokenRecord, ip = home, tokens: Pick<TokenStore, "redeem" | "request"> = store()) =>
  redeemInvitation(holderOf(invitation, ip), tokens);

const textOf = (outcome: Awaited<ReturnType<typeof redeem>>): string =>
  outcome.outcome === "issued" ? outcome.text : "";

describe("an invitation becomes a token", () => {
  test("from its address, with the end that the admin has set", async () => {
    const token_expires_at = inMs(30 * dayMs);
    const invitation = await invite({ token_expires_at });
    const outcome = await redeem(invitation);

    const token = await find(invitation.token_id);
    expect(outcome).toEqual({ outcome: "issued", token, text: expect.any(String) });
    const { token_id, secret, kind } = parseTokenText(textOf(outcome)) ?? {};
    expect({ token_id, kind }).toEqual({ token_id: invitation.token_id, kind: "token" });
    expect(token).toMatchObject({
      secret_hash: hashSecret(String(secret)),
      redeemed_at: expect.any(String),
      repeat_nonce: expect.any(String),
      expires_at: token_expires_at,
    });
  });

  test("that never ends, if the admin has not set an end", async () => {
    const invitation = await invite();
    await redeem(invitation);
    expect(await find(invitation.token_id)).not.toHaveProperty("expires_at");
  });

  test("that is returned as it is, even if it has ended by then", async () => {
    const ended = await invite({ token_expires_at: inMs(-1) });
    expect(await redeem(ended)).toMatchObject({ outcome: "issued" });
  });

  test("once: the same call gets the same text again, and a call that was overtaken as well", async () => {
    const invitation = await invite();
    const text = textOf(await redeem(invitation));

    expect(text).not.toBe("");
    expect(textOf(await redeem(await find(invitation.token_id)))).toBe(text);
    expect(textOf(await redeem(invitation))).toBe(text);
  });

  test("unless it was deleted meanwhile", async () => {
    const redeemed = async () => ({ made: false, token: undefined });
    await expect(redeem(await invite(), home, { ...store(), redeem: redeemed })).rejects.toThrow(
      expect.objectContaining({ code: "unavailable" }),
    );
  });
});

describe("an invitation is refused", () => {
  const leak = { facts: wrongAddress };

  test("from another address", async () => {
    const invitation = await invite();
    expect(await redeem(invitation, away)).toEqual(
      refusal("ip_not_allowed", invitation, { values: { ip: away }, ...leak }),
    );
  });

  test("after its end", async () => {
    const invitation = await invite({ expires_at: inMs(-1) });
    expect(await redeem(invitation)).toEqual(refusal("invitation_expired", invitation));
  });

  test("after it was revoked, also from elsewhere", async () => {
    const { token_id } = await invite();
    await store().revoke(token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
    const revoked = await find(token_id);
    expect(await redeem(revoked)).toEqual(refusal("invitation_revoked", revoked));
    expect(await redeem(revoked, away)).toEqual(refusal("invitation_revoked", revoked, leak));
  });

  test("after it was redeemed from elsewhere, or its token was used", async () => {
    const invitation = await invite();
    await redeem(invitation);
    const token = await find(invitation.token_id);
    expect(await redeem(token, away)).toEqual(refusal("invitation_used", token, leak));
    await store().recordUse(token.token_id, inMs(0));
    expect(await redeem(await find(token.token_id))).toEqual(refusal("invitation_used", token));
  });
});

test("an invitation without an address waits for the confirmation of its client's", async () => {
  const invitation = await invite({ ip: unknownIp });
  const outcome = await redeem(invitation, away);

  expect(outcome).toMatchObject({ outcome: "requested", request: { ip: away }, isNew: true });
  expect((await find(invitation.token_id)).request).toContain(away);
});
