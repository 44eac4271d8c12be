import { describe, expect, test } from "vitest";
import { dayMs, hourMs, inMs } from "../../../tools/support/tokens.ts";
import { away, home, minuteMs, useClients } from "../support/clients.ts";
import { apiErrorOf } from "../support/rejection.ts";

const clients = useClients();
const { invite, redeem, use, decide, get, pass } = clients;
const code = /^[34679CDFGHJKMNPQRTWXY]{3}-[34679CDFGHJKMNPQRTWXY]{3}$/;
const elsewhere = "192.0.2.1";

describe("an invitation that names an address", () => {
  test("becomes a token on the admin's terms, once its client calls from there", async () => {
    const expires_at = inMs(30 * dayMs);
    const { token_id, text } = await invite({ ip: home, comment: "billing sync", rate_limit: 60, expires_at });
    expect(text).toMatch(new RegExp(`^iti_${token_id}_`));
    expect(await get(token_id)).toMatchObject({ state: "invited", ip: home, expires_at, issued_by: "invoke:invite-1" });

    const redeemed = await redeem(text);
    expect(redeemed.status).toBe(201);
    expect(redeemed.body).toEqual({
      token_id,
      ip: home,
      issued_at: expect.any(String),
      expires_at,
      token: expect.stringMatching(new RegExp(`^itk_${token_id}_`)),
    });
    expect(await use(redeemed.token)).toMatchObject({ status: 200, body: { token_id, ip: home, expires_at } });
    expect(await get(token_id)).toMatchObject({
      state: "active",
      comment: "billing sync",
      rate_limit: 60,
      expires_at,
      invitation: { redeemed_at: redeemed.body.issued_at },
    });
  });

  test("is stored as a hash, and its token cannot be used before it is redeemed", async () => {
    const { token_id, text } = await invite({ ip: home });
    const secret = text.slice(31, 74);
    expect(JSON.stringify(await clients.store().find(token_id))).not.toContain(secret);
    expect(await use(text)).toMatchObject({ status: 401, body: { code: "wrong_credential" } });
  });

  test("works only from there, and from elsewhere is a sign of a leak", async () => {
    const { token_id, text } = await invite({ ip: home });
    const { status, body, line } = await redeem(text, away);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "ip_not_allowed" });
    expect(JSON.stringify(body)).not.toContain(home);
    expect(line).toMatchObject({ level: "WARN", token_id, credential: "invitation", leak_signal: expect.any(String) });
    expect((await redeem(text)).status).toBe(201);
  });

  test("returns the same text again until the token is used, and then never again", async () => {
    const { text } = await invite({ ip: home });
    const first = await redeem(text);
    pass(14 * minuteMs);
    const again = await redeem(text);
    expect(again).toMatchObject({ status: 201, body: first.body });
    await use(first.token);
    expect(await redeem(text)).toMatchObject({ status: 401, body: { code: "invitation_used" } });
    expect(await use(first.token)).toMatchObject({ status: 200 });
  });

  test("returns the text for at most 15 minutes", async () => {
    const { text } = await invite({ ip: home });
    await redeem(text);
    pass(15 * minuteMs);
    expect(await redeem(text)).toMatchObject({ status: 401, body: { code: "invitation_used" } });
  });

  test("that somebody else has used is refused with a warning, and the other way round is a sign of a leak", async () => {
    const { token_id, text } = await invite({ ip: home });
    await redeem(text);
    const { status, body, line } = await redeem(text, away);
    expect({ status, code: body.code }).toEqual({ status: 401, code: "invitation_used" });
    expect(line).toMatchObject({ token_id, leak_signal: expect.any(String) });
  });

  test("is redeemed once by clients that call at the same time, who get the same text", async () => {
    const { text } = await invite({ ip: home });
    const answers = await clients.atOnce.redeem(text);
    const texts = new Set(answers.map(({ token }) => token));
    expect(texts.size).toBe(1);
  });

  test("ends after 24 hours, or when the admin has said, and is then refused", async () => {
    const [usual, short] = [await invite({ ip: home }), await invite({ ip: home, valid_seconds: 300 })];
    pass(5 * minuteMs);
    expect(await redeem(short.text)).toMatchObject({ status: 401, body: { code: "invitation_expired" } });
    expect(await get(short.token_id)).toMatchObject({ state: "expired" });
    pass(dayMs - 6 * minuteMs);
    expect((await redeem(usual.text)).status).toBe(201);
  });

  test("that was revoked is refused, and so is one whose token was revoked", async () => {
    for (const redeemedBefore of [false, true]) {
      const { token_id, text } = await invite({ ip: home });
      if (redeemedBefore) await redeem(text);
      expect(await clients.act({ action: "revoke", token_id })).toMatchObject({ state: "revoked" });
      expect(await redeem(text)).toMatchObject({ status: 401, body: { code: "invitation_revoked" } });
    }
  });

  test("cannot be rotated, edited or dismissed from before it is redeemed", async () => {
    const { token_id } = await invite();
    for (const change of [
      { action: "rotate", grace_seconds: 0 },
      { action: "update", comment: "x" },
      { action: "dismiss_leak", ip: away },
    ]) {
      expect(await apiErrorOf(clients.act({ ...change, token_id }))).toMatchObject({
        code: "token_not_active",
        message: expect.stringContaining("this one is invited"),
      });
    }
  });

  test.for([
    [{ valid_seconds: 299 }, "The valid_seconds must be a whole number from 300 to 604800."],
    [{ valid_seconds: 604_801 }, "The valid_seconds must be a whole number from 300 to 604800."],
    [{ ip: "0.0.0.0" }, "The ip must not be an unspecified address: no client calls from it."],
    [{ ip: "::" }, "The ip must not be an unspecified address: no client calls from it."],
    [{ expires_at: inMs(hourMs) }, "The expires_at must be later than the end of the invitation."],
  ] as const)("is not created with %j", async ([fields, message]) => {
    expect((await apiErrorOf(clients.invoke({ action: "invite", ...fields }))).message).toBe(message);
  });
});

describe("an invitation without an address", () => {
  test("is redeemed after an admin has confirmed the address that its client calls from", async () => {
    const { token_id, text } = await invite();
    expect(await get(token_id)).toMatchObject({ state: "invited", ip: null, request: null });
    const asked = await redeem(text, away);
    expect(asked.status).toBe(202);
    expect(asked.body).toEqual({ ip: away, code: expect.stringMatching(code), expires_at: expect.any(String) });
    expect(asked.line).toMatchObject({ confirmation: "requested" });
    expect(await redeem(text, away)).toMatchObject({ status: 202, body: asked.body });
    const request = { for: "invitation", ip: away, code: asked.body.code, decision: null };
    expect(await get(token_id)).toMatchObject({ state: "awaiting_confirmation", ip: null, request });

    const confirmed = await decide("confirm", token_id, asked);
    expect(confirmed).toMatchObject({ ip: away, request: { decision: "confirmed", decided_by: "invoke:confirm-1" } });
    const { token, status } = await redeem(text, away);
    expect(status).toBe(201);
    expect((await use(token, away)).status).toBe(200);
    expect(await get(token_id)).toMatchObject({ state: "active", ip: away, request: { for: "invitation" } });
  });

  test("is redeemed from no other address than the one that was confirmed", async () => {
    const { token_id, text } = await invite();
    const asked = await redeem(text, away);
    expect((await redeem(text, home)).body.code).not.toBe(asked.body.code);
    expect(await apiErrorOf(decide("confirm", token_id, asked))).toMatchObject({ code: "request_changed" });
    await decide("confirm", token_id, await redeem(text, away));
    expect(await redeem(text, home)).toMatchObject({ status: 403, body: { code: "ip_not_allowed" } });
    expect((await redeem(text, away)).status).toBe(201);
  });

  test("is not confirmed with another code or another address than those of the request", async () => {
    const { token_id, text } = await invite();
    const { body } = await redeem(text, away);
    for (const change of [{ code: "333-333" }, { ip: home }]) {
      const shown = { body: { ...body, ...change } };
      for (const decision of ["confirm", "reject"] as const)
        expect(await apiErrorOf(decide(decision, token_id, shown))).toMatchObject({ code: "request_changed" });
    }
    expect((await redeem(text, away)).status).toBe(202);
  });

  test("has to be asked for again after 15 minutes, with another code", async () => {
    const { token_id, text } = await invite();
    const asked = await redeem(text, away);
    pass(15 * minuteMs);
    expect(await get(token_id)).toMatchObject({ state: "invited" });
    expect(await apiErrorOf(decide("confirm", token_id, asked))).toMatchObject({ code: "request_changed" });
    expect((await redeem(text, away)).body.code).not.toBe(asked.body.code);
  });

  test("is refused from an address that was rejected, which is a sign of a leak, and may be asked for from another", async () => {
    const { token_id, text } = await invite();
    const asked = await redeem(text, away);
    expect(await decide("reject", token_id, asked)).toMatchObject({
      state: "invited",
      request: { decision: "rejected" },
    });
    const { status, body, line } = await redeem(text, away);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "request_rejected" });
    expect(line).toMatchObject({ level: "WARN", leak_signal: expect.any(String) });
    expect(await apiErrorOf(decide("confirm", token_id, asked))).toMatchObject({ code: "request_changed" });
    expect((await redeem(text, home)).status).toBe(202);
  });

  test("can be asked for ten times in 24 hours, so that nobody can try codes", async () => {
    const { text } = await invite({ valid_seconds: 604_800 });
    for (const ip of Array.from({ length: 10 }, (_, n) => (n % 2 ? home : away))) {
      expect((await redeem(text, ip)).status).toBe(202);
    }
    const { status, body, headers, line } = await redeem(text, elsewhere);
    expect({ status, code: body.code }).toEqual({ status: 429, code: "too_many_requests" });
    expect(Number(headers["Retry-After"])).toBeGreaterThan(23 * 3600);
    expect(line).toMatchObject({ leak_signal: expect.any(String) });
    expect((await redeem(text, home)).status).toBe(202);
    pass(dayMs);
    expect((await redeem(text, elsewhere)).status).toBe(202);
  });

  test("is confirmed once: the same decision again changes nothing", async () => {
    const { token_id, text } = await invite();
    const asked = await redeem(text, away);
    const confirmed = await decide("confirm", token_id, asked);
    expect(await decide("confirm", token_id, asked)).toEqual(confirmed);
    expect(await apiErrorOf(decide("reject", token_id, asked))).toMatchObject({ code: "request_changed" });
  });
});
