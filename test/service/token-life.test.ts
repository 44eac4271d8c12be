import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Answer, sharedService, type TestService } from "../support/service.ts";

/* The whole life of tokens that no human has seen, with the calls of their clients and an admin. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const [home, away, elsewhere] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

const issuedToken = z.object({ token_id: z.string(), ip: z.string(), token: z.string() });
const shownRequest = z.object({ ip: z.string(), code: z.string(), expires_at: z.string() });
const leakList = z.object({ leaks: z.array(z.looseObject({ token_id: z.string() })) });
const usageHours = z.object({ hours: z.array(z.object({ codes: z.record(z.string(), z.number()) })) });

const redeem = (token: string, from: string) => service.call("POST", "/api/v1/token", { token, from });
const move = (token: string, from: string) => service.call("POST", "/api/v1/token/move", { token, from });
const rotate = (token: string, from: string, grace_seconds = "60") =>
  service.call("POST", "/api/v1/token/rotation", { token, from, form: { grace_seconds } });
const revoke = (token: string, from: string) => service.call("DELETE", "/api/v1/token", { token, from });

/** The effect of a token at an address: the status of a call, or the code of its refusal. */
const use = async (token: string, from: string) =>
  outcomeOf(await service.call("GET", "/api/v1/token", { token, from }));

const outcomeOf = ({ status, text }: Answer): unknown => (status < 400 ? status : JSON.parse(text).code);

const newTokenIn = (answer: Answer) => {
  expect(answer.status).toBe(201);
  return issuedToken.parse(answer.json());
};

const requestIn = (answer: Answer) => {
  expect(answer.status).toBe(202);
  return shownRequest.parse(answer.json());
};

const invite = async (ip: string | null = null) => {
  const { token_id, invitation_text } = await service.admin({ action: "invite", ip, comment: "billing sync" });
  return { token_id: String(token_id), text: String(invitation_text) };
};

const issue = async () => {
  const { token_id, token } = await service.admin({ action: "issue", ip: home });
  return { token_id: String(token_id), text: String(token) };
};

const tokenOf = (token_id: string) => service.admin({ action: "get", token_id });

const decide = (action: "confirm" | "reject", token_id: string, { ip, code }: { ip: string; code: string }) =>
  service.admin({ action, token_id, ip, code });

describe("an invitation for an address", () => {
  test("becomes a token there and nowhere else, and is worthless once that token has been used", async () => {
    const { token_id, text } = await invite(home);
    expect(await tokenOf(token_id)).toMatchObject({ state: "invited", ip: home });
    expect(outcomeOf(await redeem(text, away))).toBe("ip_not_allowed");

    const first = await redeem(text, home);
    const { token } = newTokenIn(first);
    expect(await tokenOf(token_id)).toMatchObject({ state: "active", ip: home });
    expect((await redeem(text, home)).text).toBe(first.text);
    expect(outcomeOf(await redeem(text, away))).toBe("invitation_used");

    expect(await use(token, home)).toBe(200);
    expect(outcomeOf(await redeem(text, home))).toBe("invitation_used");
    expect(await use(token, away)).toBe("ip_not_allowed");
  });

  test("is no token, and a token is no invitation", async () => {
    const { text } = await invite(home);
    const { text: token } = await issue();

    expect(await use(text, home)).toBe("wrong_credential");
    expect(outcomeOf(await rotate(text, home))).toBe("wrong_credential");
    expect(outcomeOf(await redeem(token, home))).toBe("wrong_credential");
  });

  test("is refused once an admin has revoked it, before and after it has become a token", async () => {
    const [unused, used] = [await invite(home), await invite(home)];
    const { token } = newTokenIn(await redeem(used.text, home));
    for (const { token_id } of [unused, used]) await service.admin({ action: "revoke", token_id });

    expect(outcomeOf(await redeem(unused.text, home))).toBe("invitation_revoked");
    expect(outcomeOf(await redeem(used.text, home))).toBe("invitation_revoked");
    expect(await use(token, home)).toBe("token_revoked");
  });
});

describe("an invitation without an address", () => {
  test("waits until an admin has confirmed exactly the address and the code that the client sees", async () => {
    const { token_id, text } = await invite();
    expect(await tokenOf(token_id)).toMatchObject({ state: "invited", ip: null, request: null });
    const asked = requestIn(await redeem(text, home));
    expect(asked.ip).toBe(home);
    expect(asked.code).toMatch(/^[A-Z0-9]{3}-[A-Z0-9]{3}$/);
    expect(requestIn(await redeem(text, home))).toEqual(asked);
    expect(await tokenOf(token_id)).toMatchObject({ state: "awaiting_confirmation", request: asked });

    const changed = requestIn(await redeem(text, away));
    expect(changed.code).not.toBe(asked.code);
    await expect(decide("confirm", token_id, asked)).rejects.toMatchObject({ errorType: "request_changed" });
    await expect(decide("confirm", token_id, { ...changed, ip: home })).rejects.toMatchObject({
      errorType: "request_changed",
    });

    expect(await decide("confirm", token_id, changed)).toMatchObject({ state: "invited", ip: away });
    expect(outcomeOf(await redeem(text, home))).toBe("ip_not_allowed");
    const { token } = newTokenIn(await redeem(text, away));
    expect([await use(token, away), await use(token, home)]).toEqual([200, "ip_not_allowed"]);
  });

  test("is refused at an address that an admin has rejected, and asks again from another one", async () => {
    const { token_id, text } = await invite();
    await decide("reject", token_id, requestIn(await redeem(text, away)));

    expect(outcomeOf(await redeem(text, away))).toBe("request_rejected");
    await decide("confirm", token_id, requestIn(await redeem(text, home)));
    expect(await use(newTokenIn(await redeem(text, home)).token, home)).toBe(200);
  });
});

describe("a move", () => {
  test("leaves the old token at work until the client gets a new one for the confirmed address, and only that one", async () => {
    const { token_id, text } = await issue();
    const asked = requestIn(await move(text, away));
    expect(await tokenOf(token_id)).toMatchObject({ state: "active", ip: home, request: { for: "move", ...asked } });
    expect([await use(text, home), await use(text, away)]).toEqual([200, "ip_not_allowed"]);

    await decide("confirm", token_id, asked);
    expect(await use(text, home)).toBe(200);
    expect(outcomeOf(await move(text, elsewhere))).toBe("ip_not_allowed");

    const moved = await move(text, away);
    const successor = newTokenIn(moved);
    expect(successor.ip).toBe(away);
    expect((await move(text, away)).text).toBe(moved.text);
    expect([await use(text, home), await use(text, away)]).toEqual(["token_expired", "token_expired"]);
    expect([await use(successor.token, away), await use(successor.token, home)]).toEqual([200, "ip_not_allowed"]);
    expect(await tokenOf(successor.token_id)).toMatchObject({
      predecessor_id: token_id,
      issued_by: `token:${token_id}:${away}`,
    });
    expect(outcomeOf(await move(text, away))).toBe("token_expired");
  });

  test("never happens without a confirmation, nor after a rejection", async () => {
    const { token_id, text } = await issue();
    const asked = requestIn(await move(text, away));
    await decide("reject", token_id, asked);

    expect(outcomeOf(await move(text, away))).toBe("request_rejected");
    expect(await use(text, home)).toBe(200);
    await expect(decide("confirm", token_id, asked)).rejects.toMatchObject({ errorType: "request_changed" });
  });
});

describe("a rotation by the client", () => {
  test("refuses none of the calls that are sent at the same time", async () => {
    let { text: current } = await issue();
    let isOver = false;
    const outcomes = new Set<unknown>();
    const caller = async () => {
      while (!isOver) outcomes.add(await use(current, home));
    };
    const rotateOften = async () => {
      for (let times = 0; times < 5; times += 1) {
        current = newTokenIn(await rotate(current, home)).token;
        expect(await use(current, home)).toBe(200);
      }
      isOver = true;
    };
    await Promise.all([rotateOften(), caller(), caller(), caller()]);

    expect([...outcomes]).toEqual([200]);
  });

  test("returns the same token again, even if the old one has ended, until the new one is used", async () => {
    const { token_id, text } = await issue();
    const first = await rotate(text, home, "0");
    const { token, token_id: successor_id } = newTokenIn(first);
    expect(await use(text, home)).toBe("token_expired");
    expect((await rotate(text, home, "0")).text).toBe(first.text);
    expect(await tokenOf(token_id)).toMatchObject({ successor_id, rotated_by: `token:${token_id}:${home}` });

    expect(await use(token, home)).toBe(200);
    expect(outcomeOf(await rotate(text, home, "0"))).toBe("token_expired");
  });
});

test("whoever finds a token can end it from any address, again and again, and do nothing else with it", async () => {
  const { token_id, text } = await issue();
  expect(await use(text, elsewhere)).toBe("ip_not_allowed");
  expect(outcomeOf(await rotate(text, elsewhere))).toBe("ip_not_allowed");

  for (const from of [elsewhere, away]) expect((await revoke(text, from)).status).toBe(204);
  expect(await use(text, home)).toBe("token_revoked");
  expect(outcomeOf(await rotate(text, home))).toBe("token_revoked");
  expect(outcomeOf(await move(text, away))).toBe("token_revoked");
  expect(await tokenOf(token_id)).toMatchObject({ state: "revoked", revoked_by: `token:${token_id}:${elsewhere}` });
  const leakingTokens = async () => {
    const { leaks } = leakList.parse(await service.admin({ action: "leaks" }));
    return leaks.map((leak) => leak.token_id);
  };
  await expect.poll(leakingTokens).toContain(token_id);
});

describe("the usage of a token", () => {
  const codesOf = async (token_id: string) => {
    const { hours } = usageHours.parse(await service.admin({ action: "usage", token_id }));
    const total: Record<string, number> = {};
    for (const { codes } of hours) {
      for (const [code, count] of Object.entries(codes)) total[code] = (total[code] ?? 0) + count;
    }
    return total;
  };

  test("counts each kind of refusal of what a client does with it", async () => {
    const { token_id, text } = await issue();
    expect(outcomeOf(await move(text, home))).toBe("move_not_needed");
    await decide("reject", token_id, requestIn(await move(text, away)));
    expect(outcomeOf(await move(text, away))).toBe("request_rejected");
    const others = Array.from({ length: 9 }, (_, index) => `127.0.0.${index + 10}`);
    for (const other of others) requestIn(await move(text, other));
    const refused = await move(text, elsewhere);
    expect(outcomeOf(refused)).toBe("too_many_requests");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(60);
    expect(outcomeOf(await rotate(text, elsewhere))).toBe("ip_not_allowed");
    await use(newTokenIn(await rotate(text, home)).token, home);
    expect(outcomeOf(await rotate(text, home))).toBe("token_already_rotated");
    await revoke(text, home);
    expect(outcomeOf(await rotate(text, home))).toBe("token_revoked");

    await expect
      .poll(() => codesOf(token_id))
      .toEqual({
        move_not_needed: 1,
        request_rejected: 1,
        too_many_requests: 1,
        ip_not_allowed: 1,
        token_already_rotated: 1,
        token_revoked: 1,
      });
  });

  test("counts each kind of refusal of the invitation that it began as", async () => {
    const { token_id, text } = await invite(home);
    expect(outcomeOf(await redeem(text, away))).toBe("ip_not_allowed");
    await use(newTokenIn(await redeem(text, home)).token, home);
    expect(outcomeOf(await redeem(text, home))).toBe("invitation_used");
    await service.admin({ action: "revoke", token_id });
    expect(outcomeOf(await redeem(text, home))).toBe("invitation_revoked");

    await expect
      .poll(() => codesOf(token_id))
      .toEqual({ ip_not_allowed: 1, invitation_used: 1, invitation_revoked: 1 });
  });
});

test("none of this puts a token or an invitation in the log", () => {
  expect(service.logged()).toContain('"route":"POST /api/v1/token/rotation"');
  expect(service.logged()).not.toMatch(/it[ik]_[0-9A-Z]{26}_/);
});
