import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Answer, sharedService, type TestService } from "../support/service.ts";

/*
 * Tests whom a token belongs to, and the usage that admins see. test/lambdas/domain/ tests the rules of each step in a token's
 * life, and test/clients/clients.test.ts all steps with both clients.
 */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const [home, elsewhere] = ["127.0.0.1", "127.0.0.3"];

const rotate = (token: string, from: string, grace_seconds = "60") =>
  service.call("POST", "/api/v1/token/rotation", { token, from, form: { grace_seconds } });

const outcomeOf = ({ status, text }: Answer): unknown => (status < 400 ? status : JSON.parse(text).code);

test("a token's client is the one that an admin named, in every successor and whatever its holder sends", async () => {
  const { invitation_text } = await service.admin({ action: "invite", ip: home, client: "ACME" });
  const forged = { headers: { client: "other", "x-client": "other" }, form: { client: "other", grace_seconds: "60" } };
  const post = async (path: string, token: string) =>
    newTokenIn(await service.call("POST", `/api/v1/token${path}?client=other`, { ...forged, token, from: home }));
  const first = await post("", String(invitation_text));
  const second = await post("/rotation", first.token);
  const described = await service.call("GET", "/api/v1/token?client=other", { token: second.token, from: home });
  expect(described.json()).toMatchObject({ token_id: second.token_id, client: "ACME" });
  const byAdmin = await service.admin({ action: "rotate", token_id: second.token_id, grace_seconds: 60 });
  for (const { token_id } of [first, second, byAdmin])
    expect(await tokenOf(String(token_id))).toMatchObject({ client: "ACME" });
  const calls = service
    .logged()
    .split("\n")
    .filter((line) => /"message":"request".*"client":"ACME"/.test(line));
  for (const { token_id } of [first, second]) expect(calls.join()).toContain(`"token_id":"${token_id}"`);
});

/** Returns the effect of a token at an address: the status of a call, or the code of its refusal. */
const use = async (token: string, from: string) =>
  outcomeOf(await service.call("GET", "/api/v1/token", { token, from }));

const newTokenIn = (response: Answer) => {
  expect(response.status).toBe(201);
  return z.parse(z.object({ token_id: z.string(), ip: z.string(), token: z.string() }), response.json());
};

const tokenOf = (token_id: string) => service.admin({ action: "get", token_id });

const counts = z.record(z.string(), z.number());
const usageAnswer = z.looseObject({
  hours: z.array(z.object({ statuses: counts, codes: counts })),
  refusals: z.array(z.looseObject({ code: z.string() })),
});

/** Returns the usage that admins see, over all hours, because a test may begin in one hour and end in the next. */
const usageOf = async (token_id: string) => {
  const { hours, ...others } = usageAnswer.parse(await service.admin({ action: "usage", token_id }));
  const sum = (all: Record<string, number>[]) => {
    const total: Record<string, number> = {};
    for (const [name, count] of all.flatMap((one) => Object.entries(one))) total[name] = (total[name] ?? 0) + count;
    return total;
  };
  return { ...others, statuses: sum(hours.map((hour) => hour.statuses)), codes: sum(hours.map((hour) => hour.codes)) };
};

test("a token's usage shows the outcome of each call shortly afterwards", async () => {
  const { token_id, token } = await service.admin({ action: "issue", ip: home });
  const [id, text] = [String(token_id), String(token)];
  expect(await usageOf(id)).toMatchObject({ statuses: {}, refusals: [], last_used_at: null, rotation: null });
  expect(await use(text, home)).toBe(200);
  expect((await service.call("GET", "/api/v1/key?limit=0", { token: text })).status).toBe(422);
  expect(outcomeOf(await rotate(text, elsewhere))).toBe("ip_not_allowed");

  await expect.poll(async () => (await usageOf(id)).codes).toEqual({ validation_failed: 1, ip_not_allowed: 1 });
  const { statuses, refusals } = await usageOf(id);
  expect(statuses).toEqual({ "2xx": 1, "4xx": 2 });
  const refusal = { code: "ip_not_allowed", status: 403, source_ip: elsewhere, leak: true };
  expect(refusals).toContainEqual(expect.objectContaining(refusal));
  expect(service.logged()).not.toMatch(/it[ik]_[0-9A-Z]{26}_/);
});
