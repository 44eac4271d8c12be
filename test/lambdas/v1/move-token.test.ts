import { describe, expect, test } from "vitest";
import { dayMs } from "../../../tools/support/tokens.ts";
import { away, home, minuteMs, useClients } from "../support/clients.ts";
import { apiErrorOf } from "../support/rejection.ts";

const clients = useClients();
const { issue, move, use, get, decide, pass } = clients;
const elsewhere = "192.0.2.1";
const codeOf = ({ status, body }: { status: number | undefined; body: Record<string, unknown> }) =>
  `${status} ${body.code}`;

/** A token whose move an admin has confirmed. */
const confirmedMove = async () => {
  const token = await issue();
  await decide("confirm", token.token_id, await move(token.text));
  return token;
};

describe("a client that moves to another address", () => {
  test("gets a successor for it after an admin has confirmed it, and the old token ends", async () => {
    const { token_id, text } = await issue({ comment: "billing sync" });
    const asked = await move(text);
    expect(asked.status).toBe(202);
    expect(asked.line).toMatchObject({ level: "INFO", confirmation: "requested" });
    expect(await move(text)).toMatchObject({ status: 202, body: asked.body });
    const request = { for: "move", ip: away, code: asked.body.code, decision: null };
    expect(await get(token_id)).toMatchObject({ state: "active", ip: home, request });
    expect((await use(text)).status).toBe(200);

    expect(await decide("confirm", token_id, asked)).toMatchObject({ ip: home, request: { decision: "confirmed" } });
    expect((await use(text)).status).toBe(200);
    const { status, body, token } = await move(text);
    expect(status).toBe(201);
    expect((await use(token, away)).status).toBe(200);
    expect(codeOf(await use(token, home))).toBe("403 ip_not_allowed");
    expect(codeOf(await use(text))).toBe("401 token_expired");
    const by = `token:${token_id}:${away}`;
    expect(await get(token_id)).toMatchObject({
      state: "expired",
      ip: home,
      successor_id: body.token_id,
      rotated_by: by,
    });
    expect(await get(String(body.token_id))).toMatchObject({ ip: away, comment: "billing sync", issued_by: by });
  });

  test("gets the same text again after a lost response, until the token is used", async () => {
    const { text } = await confirmedMove();
    const { token } = await move(text);
    pass(14 * minuteMs);
    expect((await move(text)).token).toBe(token);
    expect(codeOf(await move(text, elsewhere))).toBe("401 token_expired");
    await use(token, away);
    expect(codeOf(await move(text))).toBe("401 token_expired");
  });

  test("gets one successor for requests at the same time", async () => {
    const { text } = await confirmedMove();
    const answers = await clients.atOnce.move(text);
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
  });

  test("has 15 minutes to complete the move, and then has to ask again", async () => {
    const { text } = await confirmedMove();
    pass(15 * minuteMs);
    expect((await move(text)).status).toBe(202);
    expect((await use(text)).status).toBe(200);
  });

  test("is not moved to an address other than the one that was confirmed, whoever asks meanwhile", async () => {
    const { token_id, text } = await issue();
    const asked = await move(text);
    await move(text, elsewhere);
    expect(await apiErrorOf(decide("confirm", token_id, asked))).toMatchObject({ code: "request_changed" });
    await decide("confirm", token_id, await move(text));
    const refused = await move(text, elsewhere);
    expect(codeOf(refused)).toBe("403 ip_not_allowed");
    expect(refused.line).toMatchObject({ leak_signal: expect.any(String) });
    expect((await move(text)).status).toBe(201);
  });

  test("is refused after an admin has rejected it, which is a sign of a leak, until the next day", async () => {
    const { token_id, text } = await issue();
    await decide("reject", token_id, await move(text));
    const refused = await move(text);
    expect(codeOf(refused)).toBe("403 request_rejected");
    expect(refused.line).toMatchObject({ level: "WARN", leak_signal: expect.any(String) });
    expect((await use(text)).status).toBe(200);
    pass(dayMs);
    expect((await move(text)).status).toBe(202);
  });

  test("is refused after ten requests within 24 hours", async () => {
    const { text } = await issue();
    for (const ip of Array.from({ length: 10 }, (_, n) => (n % 2 ? elsewhere : away))) await move(text, ip);
    expect(codeOf(await move(text, "192.0.2.2"))).toBe("429 too_many_requests");
  });

  test("is refused from the address of its token, and with a token that has ended or been rotated", async () => {
    const [own, ended, rotated] = [await issue(), await issue(), await issue()];
    expect(codeOf(await move(own.text, home))).toBe("409 move_not_needed");
    await clients.act({ action: "revoke", token_id: ended.token_id });
    expect(codeOf(await move(ended.text))).toBe("401 token_revoked");
    await clients.act({ action: "rotate", token_id: rotated.token_id, grace_seconds: 60 });
    expect(codeOf(await move(rotated.text))).toBe("409 token_already_rotated");
  });

  test("cannot complete a confirmed move after the token was revoked or rotated", async () => {
    const [revoked, rotated] = [await confirmedMove(), await confirmedMove()];
    await clients.act({ action: "revoke", token_id: revoked.token_id });
    expect(codeOf(await move(revoked.text))).toBe("401 token_revoked");
    await clients.rotate(rotated.text, { grace_seconds: "60" });
    expect(codeOf(await move(rotated.text))).toBe("409 token_already_rotated");
  });

  test("can move back, and move the token of an invitation that has just been confirmed", async () => {
    const { token_id, text } = await clients.invite();
    await decide("confirm", token_id, await clients.redeem(text));
    const first = await clients.redeem(text);
    await decide("confirm", token_id, await move(first.token));
    const second = await move(first.token);
    await decide("confirm", String(second.body.token_id), await move(second.token, home));
    expect((await use((await move(second.token, home)).token)).status).toBe(200);
  });
});
