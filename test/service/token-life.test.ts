import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Answer, sharedService, type TestService } from "../support/service.ts";

/*
 * The whole life of tokens that no human has seen, with the calls of their clients and an admin. The rules of each step are
 * tested in test/lambdas/v1/ and test/lambdas/resources/tokens/.
 */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const [home, away, elsewhere] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

const redeem = (token: string, from: string) => service.call("POST", "/api/v1/token", { token, from });
const move = (token: string, from: string) => service.call("POST", "/api/v1/token/move", { token, from });
const rotate = (token: string, from: string, grace_seconds = "60") =>
  service.call("POST", "/api/v1/token/rotation", { token, from, form: { grace_seconds } });
const revoke = (token: string, from: string) => service.call("DELETE", "/api/v1/token", { token, from });

const outcomeOf = ({ status, text }: Answer): unknown => (status < 400 ? status : JSON.parse(text).code);

/** The effect of a token at an address: the status of a call, or the code of its refusal. */
const use = async (token: string, from: string) =>
  outcomeOf(await service.call("GET", "/api/v1/token", { token, from }));

const newTokenIn = (answer: Answer) => {
  expect(answer.status).toBe(201);
  return z.parse(z.object({ token_id: z.string(), ip: z.string(), token: z.string() }), answer.json());
};

const requestIn = (answer: Answer) => {
  expect(answer.status).toBe(202);
  return z.parse(z.object({ ip: z.string(), code: z.string(), expires_at: z.string() }), answer.json());
};

const invite = async (ip: string | null = null) => {
  const { token_id, invitation_text } = await service.admin({ action: "invite", ip });
  return { token_id: String(token_id), text: String(invitation_text) };
};

const issue = async () => {
  const { token_id, token } = await service.admin({ action: "issue", ip: home });
  return { token_id: String(token_id), text: String(token) };
};

const tokenOf = (token_id: string) => service.admin({ action: "get", token_id });

const decide = (action: "confirm" | "reject", token_id: string, { ip, code }: { ip: string; code: string }) =>
  service.admin({ action, token_id, ip, code });

describe("an invitation", () => {
  test("for an address becomes a token there and nowhere else, and is worthless once that token has been used", async () => {
    const { token_id, text } = await invite(home);
    expect(outcomeOf(await redeem(text, away))).toBe("ip_not_allowed");
    expect(await use(text, home)).toBe("wrong_credential");

    const first = await redeem(text, home);
    const { token } = newTokenIn(first);
    expect(await tokenOf(token_id)).toMatchObject({ state: "active", ip: home });
    expect((await redeem(text, home)).text).toBe(first.text);
    expect([await use(token, home), await use(token, away)]).toEqual([200, "ip_not_allowed"]);
    expect(outcomeOf(await redeem(text, home))).toBe("invitation_used");
  });

  test("without one waits until an admin has confirmed exactly the address and the code that the client sees", async () => {
    const { token_id, text } = await invite();
    const asked = requestIn(await redeem(text, home));
    expect(requestIn(await redeem(text, home))).toEqual(asked);
    expect(await tokenOf(token_id)).toMatchObject({ state: "awaiting_confirmation", request: asked });

    const changed = requestIn(await redeem(text, away));
    for (const stale of [asked, { ...changed, ip: home }]) {
      await expect(decide("confirm", token_id, stale)).rejects.toMatchObject({ errorType: "request_changed" });
    }
    expect(await decide("confirm", token_id, changed)).toMatchObject({ state: "invited", ip: away });
    expect(outcomeOf(await redeem(text, home))).toBe("ip_not_allowed");
    const { token } = newTokenIn(await redeem(text, away));
    expect([await use(token, away), await use(token, home)]).toEqual([200, "ip_not_allowed"]);
  });
});

test("a move leaves the old token at work until the client gets a new one for the confirmed address, and only that one", async () => {
  const { token_id, text } = await issue();
  const asked = requestIn(await move(text, away));
  expect([await use(text, home), await use(text, away)]).toEqual([200, "ip_not_allowed"]);
  await decide("confirm", token_id, asked);
  expect(await use(text, home)).toBe(200);
  expect(outcomeOf(await move(text, elsewhere))).toBe("ip_not_allowed");

  const moved = await move(text, away);
  const successor = newTokenIn(moved);
  expect((await move(text, away)).text).toBe(moved.text);
  expect([await use(text, home), await use(text, away)]).toEqual(["token_expired", "token_expired"]);
  expect([await use(successor.token, away), await use(successor.token, home)]).toEqual([200, "ip_not_allowed"]);
  const origin = { predecessor_id: token_id, issued_by: `token:${token_id}:${away}` };
  expect(await tokenOf(successor.token_id)).toMatchObject(origin);
  expect(outcomeOf(await move(text, away))).toBe("token_expired");
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
    const { text } = await issue();
    const first = await rotate(text, home, "0");
    expect(await use(text, home)).toBe("token_expired");
    expect((await rotate(text, home, "0")).text).toBe(first.text);
    expect(await use(newTokenIn(first).token, home)).toBe(200);
    expect(outcomeOf(await rotate(text, home, "0"))).toBe("token_expired");
  });
});

test("whoever finds a token can end it from any address, again and again, and do nothing else with it", async () => {
  const { token_id, text } = await issue();
  expect([await use(text, elsewhere), outcomeOf(await rotate(text, elsewhere))]).toEqual(
    Array(2).fill("ip_not_allowed"),
  );
  for (const from of [elsewhere, away]) expect((await revoke(text, from)).status).toBe(204);
  const after = [await use(text, home), outcomeOf(await rotate(text, home)), outcomeOf(await move(text, away))];
  expect(after).toEqual(Array(3).fill("token_revoked"));
  expect(await tokenOf(token_id)).toMatchObject({ state: "revoked", revoked_by: `token:${token_id}:${elsewhere}` });
  const leaks = async () => (await service.admin({ action: "leaks" })).leaks;
  await expect.poll(leaks).toContainEqual(expect.objectContaining({ token_id }));
});

describe("the usage of a token counts each kind of refusal", () => {
  const codesOf = async (token_id: string) => {
    const usage = z.object({ hours: z.array(z.object({ codes: z.record(z.string(), z.number()) })) });
    const { hours } = z.parse(usage, await service.admin({ action: "usage", token_id }));
    const total: Record<string, number> = {};
    for (const [code, count] of hours.flatMap(({ codes }) => Object.entries(codes))) {
      total[code] = (total[code] ?? 0) + count;
    }
    return total;
  };

  test("of what a client does with it", async () => {
    const { token_id, text } = await issue();
    const refusals = [outcomeOf(await move(text, home))];
    await decide("reject", token_id, requestIn(await move(text, away)));
    refusals.push(outcomeOf(await move(text, away)));
    for (let count = 0; count < 9; count += 1) requestIn(await move(text, `127.0.0.${count + 10}`));
    refusals.push(outcomeOf(await move(text, elsewhere)), outcomeOf(await rotate(text, elsewhere)));
    await use(newTokenIn(await rotate(text, home)).token, home);
    refusals.push(outcomeOf(await rotate(text, home)));
    await revoke(text, home);
    refusals.push(outcomeOf(await rotate(text, home)));

    expect(refusals).toEqual([
      ...["move_not_needed", "request_rejected", "too_many_requests", "ip_not_allowed"],
      ...["token_already_rotated", "token_revoked"],
    ]);
    const expected = Object.fromEntries(refusals.map((code) => [code, 1]));
    await expect.poll(() => codesOf(token_id)).toEqual(expected);
  });

  test("of the invitation that it began as", async () => {
    const { token_id, text } = await invite(home);
    const refusals = [outcomeOf(await redeem(text, away))];
    await use(newTokenIn(await redeem(text, home)).token, home);
    refusals.push(outcomeOf(await redeem(text, home)));
    await service.admin({ action: "revoke", token_id });
    refusals.push(outcomeOf(await redeem(text, home)));

    expect(refusals).toEqual(["ip_not_allowed", "invitation_used", "invitation_revoked"]);
    const expected = Object.fromEntries(refusals.map((code) => [code, 1]));
    await expect.poll(() => codesOf(token_id)).toEqual(expected);
  });
});

test("none of this puts a token or an invitation in the log", () => {
  expect(service.logged()).toContain('"route":"POST /api/v1/token/rotation"');
  expect(service.logged()).not.toMatch(/it[ik]_[0-9A-Z]{26}_/);
});
