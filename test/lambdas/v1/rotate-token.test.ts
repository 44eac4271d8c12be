import { describe, expect, test } from "vitest";
import { dayMs, inMs } from "../../../tools/support/tokens.ts";
import { away, home, minuteMs, useClients } from "../support/clients.ts";

const clients = useClients();
const { issue, rotate, use, get, pass } = clients;
const codeOf = ({ status, body }: { status: number | undefined; body: Record<string, unknown> }) =>
  `${status} ${body.code}`;

describe("a client that rotates its own token", () => {
  test("gets a successor on the same terms, and the old token ends after the grace period", async () => {
    const { token_id, text } = await issue({ comment: "billing sync", rate_limit: 100, expires_at: inMs(10 * dayMs) });
    const { status, body, token } = await rotate(text, { grace_seconds: "60" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ip: home, token: expect.stringMatching(/^itk_/), expires_at: expect.any(String) });
    const successor = String(body.token_id);
    const by = `token:${token_id}:${home}`;
    expect(await get(token_id)).toMatchObject({ state: "active", successor_id: successor, rotated_by: by });
    expect(await get(successor)).toMatchObject({
      ...{ comment: "billing sync", rate_limit: 100, predecessor_id: token_id, issued_by: by, state: "active" },
    });
    expect([(await use(text)).status, (await use(token)).status]).toEqual([200, 200]);
    pass(minuteMs);
    expect([codeOf(await use(text)), (await use(token)).status]).toEqual(["401 token_expired", 200]);
  });

  test("gets the same text again after a lost response, even if the old token has ended, until the new one is used", async () => {
    const { text } = await issue();
    const { token } = await rotate(text);
    expect(codeOf(await use(text))).toBe("401 token_expired");
    pass(14 * minuteMs);
    expect((await rotate(text)).token).toBe(token);
    expect((await use(token)).status).toBe(200);
    expect(codeOf(await rotate(text))).toBe("401 token_expired");
  });

  test("does not get the text again after 15 minutes, nor while the old token still works", async () => {
    const { text } = await issue();
    await rotate(text, { grace_seconds: "3600" });
    pass(15 * minuteMs);
    expect(codeOf(await rotate(text, { grace_seconds: "3600" }))).toBe("409 token_already_rotated");
  });

  test("gets one successor for requests at the same time", async () => {
    const { token_id, text } = await issue();
    const answers = await clients.atOnce.rotate(text);
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
    const { successor_id } = await get(token_id);
    expect(answers[0]?.body.token_id).toBe(successor_id);
  });

  test("cannot get the text of a successor that an admin has made", async () => {
    const { token_id, text } = await issue();
    await clients.act({ action: "rotate", token_id, grace_seconds: 60 });
    expect(codeOf(await rotate(text))).toBe("409 token_already_rotated");
  });

  test("is refused from another address, which is a sign of a leak, also when the text could be repeated", async () => {
    const { text } = await issue();
    const refused = await rotate(text, { ip: away });
    expect(codeOf(refused)).toBe("403 ip_not_allowed");
    expect(refused.line).toMatchObject({ level: "WARN", credential: "secret", leak_signal: expect.any(String) });
    await rotate(text, { grace_seconds: "60" });
    expect(codeOf(await rotate(text, { ip: away }))).toBe("403 ip_not_allowed");
  });

  test("is refused with a token that has expired or was revoked, whatever was rotated before", async () => {
    const [ended, revoked] = [await issue({ expires_at: inMs(minuteMs) }), await issue()];
    await rotate(revoked.text, { grace_seconds: "60" });
    await clients.act({ action: "revoke", token_id: revoked.token_id });
    pass(minuteMs);
    expect(codeOf(await rotate(ended.text))).toBe("401 token_expired");
    expect(codeOf(await rotate(revoked.text))).toBe("401 token_revoked");
  });

  test("does not get the text of a successor that was revoked", async () => {
    const { text } = await issue();
    const { body } = await rotate(text);
    await clients.act({ action: "revoke", token_id: body.token_id });
    expect(codeOf(await rotate(text))).toBe("401 token_expired");
  });

  test("can rotate the successor, whose old secret then reveals nothing", async () => {
    const { text } = await issue();
    const first = await rotate(text);
    const second = await rotate(first.token);
    expect(second.status).toBe(201);
    expect(codeOf(await rotate(text))).toBe("401 token_expired");
    expect(await clients.store().find(String(first.body.token_id))).not.toHaveProperty("repeat_nonce");
  });

  test("does not get past an end that an admin has brought forward, by rotating or moving as often as it likes", async () => {
    const { token_id, text } = await issue({ expires_at: inMs(365 * dayMs) });
    pass(30 * dayMs);
    const expires_at = inMs(dayMs);
    await clients.act({ action: "update", token_id, expires_at });
    const first = await rotate(text);
    const second = await rotate(first.token);
    await clients.decide("confirm", String(second.body.token_id), await clients.move(second.token));
    const third = await clients.move(second.token);
    for (const { status, body } of [first, second, third])
      expect({ status, body }).toMatchObject({ status: 201, body: { expires_at } });
    pass(dayMs);
    expect(codeOf(await use(third.token))).toBe("401 token_expired");
  });

  test.for(["", "-1", "604801", "1.5", "1e3", "soon"])(
    "is refused with the grace_seconds %j",
    async (grace_seconds) => {
      const { text } = await issue();
      const { status, body } = await rotate(text, { grace_seconds });
      expect({ status, body }).toEqual({
        status: 422,
        body: { grace_seconds: ["The grace_seconds must be a whole number from 0 to 604800."] },
      });
    },
  );
});
