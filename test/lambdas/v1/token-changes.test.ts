import { describe, expect, test } from "vitest";
import { absentId, dayMs, hourMs, inMs } from "../../../tools/support/tokens.ts";
import { minuteMs, useClients } from "../support/clients.ts";
import { apiErrorOf } from "../support/rejection.ts";
import { away, elsewhere, home } from "../support/token-store.ts";

/*
 * What clients do with their tokens and invitations, together with the decisions of admins. The rules of each step are tested
 * in test/lambdas/resources/tokens/, and the whole life of a token in test/service/token-life.test.ts.
 */

const clients = useClients();
const { invite, redeem, rotate, move, revoke, issue, use, get, decide, act, pass } = clients;

type Answer = Awaited<ReturnType<typeof use>>;
const outcomeOf = ({ status, body }: Pick<Answer, "status" | "body">) =>
  body.code === undefined || Number(status) < 300 ? status : `${status} ${body.code}`;

/** A token whose move an admin has confirmed. */
const confirmedMove = async () => {
  const token = await issue();
  await decide("confirm", token.token_id, await move(token.text));
  return token;
};

describe("an invitation", () => {
  test("becomes a token on the admin's terms, once its client calls from the address that it names", async () => {
    const expires_at = inMs(30 * dayMs);
    const { token_id, text } = await invite({ ip: home, comment: "billing sync", rate_limit: 60, expires_at });
    expect(text).toMatch(new RegExp(`^iti_${token_id}_`));
    const record = await clients.store().find(token_id);
    expect(JSON.stringify(record)).not.toContain(text.slice(31, 74));
    expect(record?.secret_hash).not.toBe(record?.invitation_hash);
    expect(await get(token_id)).toMatchObject({ state: "invited", ip: home, expires_at, issued_by: "invoke:invite-1" });

    const { status, body, token } = await redeem(text);
    const terms = { token_id, ip: home, issued_at: expect.any(String), expires_at };
    expect({ status, body }).toEqual({ status: 201, body: { ...terms, token: expect.stringContaining(token_id) } });
    expect(await use(token)).toMatchObject({ status: 200, body: { token_id, ip: home, expires_at } });
    const invitation = { redeemed_at: body.issued_at };
    expect(await get(token_id)).toMatchObject({ state: "active", comment: "billing sync", rate_limit: 60, invitation });
  });

  test("without an address becomes one at the address that an admin confirms, once", async () => {
    const { token_id, text } = await invite();
    expect(await get(token_id)).toMatchObject({ state: "invited", ip: null, request: null });
    const asked = await redeem(text, away);
    const shown = { ip: away, code: expect.stringMatching(/^\w{3}-\w{3}$/), expires_at: expect.any(String) };
    expect(asked).toMatchObject({ status: 202, body: shown, line: { level: "INFO", confirmation: "requested" } });
    expect((await redeem(text, away)).line).not.toHaveProperty("confirmation");
    const request = { for: "invitation", ip: away, code: asked.body.code, decision: null };
    expect(await get(token_id)).toMatchObject({ state: "awaiting_confirmation", ip: null, request });

    for (const change of [{ code: "333-333" }, { ip: home }]) {
      for (const decision of ["confirm", "reject"] as const) {
        const error = await apiErrorOf(decide(decision, token_id, { body: { ...asked.body, ...change } }));
        expect(error.code).toBe("request_changed");
      }
    }
    const confirmed = await decide("confirm", token_id, asked);
    expect(confirmed).toMatchObject({ ip: away, request: { decision: "confirmed", decided_by: "invoke:confirm-1" } });
    expect(await decide("confirm", token_id, asked)).toEqual(confirmed);
    expect((await apiErrorOf(decide("reject", token_id, asked))).code).toBe("request_changed");
    expect((await redeem(text, away)).status).toBe(201);
    expect(await get(token_id)).toMatchObject({ state: "active", ip: away, request: { for: "invitation" } });
  });

  test("is refused from an address that was rejected, which is a sign of a leak, and then from too many others", async () => {
    const { token_id, text } = await invite({ valid_seconds: 604_800 });
    const asked = await redeem(text, away);
    expect(await decide("reject", token_id, asked)).toMatchObject({ state: "invited" });
    const leak = { level: "WARN", leak_signal: expect.any(String) };
    const rejected = await redeem(text, away);
    expect([outcomeOf(rejected), rejected.line]).toEqual(["403 request_rejected", expect.objectContaining(leak)]);
    expect((await apiErrorOf(decide("confirm", token_id, asked))).code).toBe("request_changed");

    for (let n = 0; n < 9; n += 1) expect((await redeem(text, n % 2 ? home : "192.0.2.2")).status).toBe(202);
    const refused = await redeem(text, elsewhere);
    expect([outcomeOf(refused), refused.line]).toEqual(["429 too_many_requests", expect.objectContaining(leak)]);
    expect(Number(refused.headers["Retry-After"])).toBeGreaterThan(23 * 3600);
    pass(dayMs);
    expect((await redeem(text, elsewhere)).status).toBe(202);
  });

  test("has to ask again after 15 minutes without a decision, with another code", async () => {
    const { token_id, text } = await invite();
    const asked = await redeem(text, away);
    pass(15 * minuteMs);
    expect(await get(token_id)).toMatchObject({ state: "invited" });
    expect((await apiErrorOf(decide("confirm", token_id, asked))).code).toBe("request_changed");
    expect((await redeem(text, away)).body.code).not.toBe(asked.body.code);
  });

  test("ends after 24 hours, or when the admin has said, and before its token", async () => {
    const [usual, short] = [await invite({ ip: home }), await invite({ ip: home, valid_seconds: 300 })];
    const message = "The expires_at must be later than the end of the invitation.";
    expect(await apiErrorOf(invite({ expires_at: inMs(hourMs) }))).toMatchObject({ message });
    pass(5 * minuteMs);
    expect(outcomeOf(await redeem(short.text))).toBe("401 invitation_expired");
    pass(dayMs - 6 * minuteMs);
    expect((await redeem(usual.text)).status).toBe(201);
  });
});

describe("clients that call at the same time get one token:", () => {
  test.for([
    ["redeem", async () => (await invite({ ip: home })).text],
    ["rotate", async () => (await issue()).text],
    ["move", async () => (await confirmedMove()).text],
  ] as const)("%s", async ([name, credential]) => {
    const answers = await clients.atOnce[name](await credential());
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
    expect(answers[0]?.token).toMatch(/^itk_/);
  });
});

describe("a text that a client gets", () => {
  test.for([
    ["redeem", async () => (await invite({ ip: home })).text, home, "401 invitation_used"],
    ["rotate", async () => (await issue()).text, home, "401 token_expired"],
    ["move", async () => (await confirmedMove()).text, away, "401 token_expired"],
  ] as const)("is repeated for 15 minutes, until it is used: %s", async ([name, credentialOf, ip, refusal]) => {
    const [used, unused] = [await credentialOf(), await credentialOf()];
    const texts = [(await clients[name](used)).token, (await clients[name](unused)).token];
    pass(14 * minuteMs);
    expect([(await clients[name](used)).token, (await clients[name](unused)).token]).toEqual(texts);
    expect((await use(texts[0] ?? "", ip)).status).toBe(200);
    expect(outcomeOf(await clients[name](used))).toBe(refusal);
    pass(minuteMs);
    expect(outcomeOf(await clients[name](unused))).toBe(refusal);
  });
});

describe("a client that rotates its token", () => {
  test("cannot get the text of a successor that an admin has made or revoked", async () => {
    const [byAdmin, revoked] = [await issue(), await issue()];
    await act({ action: "rotate", token_id: byAdmin.token_id, grace_seconds: 60 });
    expect(outcomeOf(await rotate(byAdmin.text))).toBe("409 token_already_rotated");
    const { body } = await rotate(revoked.text);
    await act({ action: "revoke", token_id: body.token_id });
    expect(outcomeOf(await rotate(revoked.text))).toBe("401 token_expired");
  });

  test("does not get past an end that an admin has brought forward, however often it rotates or moves", async () => {
    const { token_id, text } = await issue({ expires_at: inMs(365 * dayMs) });
    pass(30 * dayMs);
    const expires_at = inMs(dayMs);
    await act({ action: "update", token_id, expires_at });
    const first = await rotate(text);
    const second = await rotate(first.token);
    await decide("confirm", String(second.body.token_id), await move(second.token));
    const third = await move(second.token);
    for (const { status, body } of [first, second, third]) {
      expect({ status, body }).toMatchObject({ status: 201, body: { expires_at } });
    }
    expect(await clients.store().find(String(first.body.token_id))).not.toHaveProperty("repeat_nonce");
    pass(dayMs);
    expect(outcomeOf(await use(third.token, away))).toBe("401 token_expired");
  });

  test("is refused with a grace that is not a number of seconds", async () => {
    const { text } = await issue();
    const message = "The grace_seconds must be a whole number from 0 to 604800.";
    for (const grace_seconds of ["", "-1", "604801", "1.5", "1e3", "soon"]) {
      const { status, body } = await rotate(text, { grace_seconds });
      expect({ status, body }).toEqual({ status: 422, body: { grace_seconds: [message] } });
    }
  });
});

describe("a client that moves its token", () => {
  test("can move back, and move the token of an invitation that has just been confirmed", async () => {
    const { token_id, text } = await invite();
    await decide("confirm", token_id, await redeem(text));
    const first = await redeem(text);
    await decide("confirm", token_id, await move(first.token));
    const second = await move(first.token);
    await decide("confirm", String(second.body.token_id), await move(second.token, home));
    expect((await use((await move(second.token, home)).token)).status).toBe(200);
  });

  test("has 15 minutes to complete the move, unless the token is revoked or rotated meanwhile", async () => {
    const [late, revoked, rotated] = [await confirmedMove(), await confirmedMove(), await confirmedMove()];
    await act({ action: "revoke", token_id: revoked.token_id });
    expect(outcomeOf(await move(revoked.text))).toBe("401 token_revoked");
    await rotate(rotated.text, { grace_seconds: "60" });
    expect(outcomeOf(await move(rotated.text))).toBe("409 token_already_rotated");
    pass(15 * minuteMs);
    expect((await move(late.text)).status).toBe(202);
    expect((await use(late.text)).status).toBe(200);
  });
});

describe("somebody who has a token", () => {
  test.for([
    ["its own address", home, { level: "INFO" }],
    ["any other address, which is a sign of a leak", away, { level: "WARN", leak_signal: expect.any(String) }],
  ] as const)("can end it from %s, and learns nothing", async ([, ip, expected]) => {
    const { token_id, text } = await issue();
    const { status, body, line } = await revoke(text, ip);
    expect({ status, body, line }).toMatchObject({ status: 204, body: {}, line: { ...expected, token_id } });
    expect("leak_signal" in line).toBe("leak_signal" in expected);
    expect(outcomeOf(await use(text))).toBe("401 token_revoked");
    expect(await get(token_id)).toMatchObject({ state: "revoked", revoked_by: `token:${token_id}:${ip}` });
  });

  test("can repeat that, and end a token that has ended, without changing it", async () => {
    const tokens = [await issue(), await issue({ expires_at: inMs(minuteMs) })];
    await revoke(tokens[0]?.text ?? "");
    pass(minuteMs);
    for (const { token_id, text } of tokens) {
      const before = await get(token_id);
      expect((await revoke(text)).status).toBe(204);
      expect(await get(token_id)).toEqual(before);
    }
  });

  test("ends the repetition of its rotation with it, even if the rotation has ended it before", async () => {
    const { text } = await issue();
    const successor = (await rotate(text)).token;
    expect((await revoke(text, away)).status).toBe(204);
    expect(outcomeOf(await rotate(text))).toBe("401 token_revoked");
    expect((await use(successor)).status).toBe(200);
  });

  test("cannot end another token with it, nor one whose secret is wrong", async () => {
    const [own, other] = [await issue(), await issue()];
    for (const id of [other.token_id, absentId()]) {
      expect((await revoke(own.text.replace(own.token_id, id))).status).toBe(401);
    }
    expect((await use(other.text)).status).toBe(200);
  });
});
