import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const [home, elsewhere] = ["127.0.0.1", "127.0.0.3"];

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
  expect((await service.call("GET", "/api/v1/token", { token: text })).status).toBe(200);
  expect((await service.call("GET", "/api/v1/key?limit=0", { token: text })).status).toBe(422);
  const rotation = { token: text, from: elsewhere, form: { grace_seconds: "60" } };
  expect((await service.call("POST", "/api/v1/token/rotation", rotation)).status).toBe(403);

  await expect.poll(async () => (await usageOf(id)).codes).toEqual({ validation_failed: 1, ip_not_allowed: 1 });
  const { statuses, refusals } = await usageOf(id);
  expect(statuses).toEqual({ "2xx": 1, "4xx": 2 });
  const refusal = { code: "ip_not_allowed", status: 403, source_ip: elsewhere, leak: true };
  expect(refusals).toContainEqual(expect.objectContaining(refusal));
  expect(service.logged()).not.toMatch(/it[ik]_[0-9A-Z]{26}_/);
});
