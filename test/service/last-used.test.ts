import { beforeAll, expect, test } from "vitest";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const issue = async (fields: object = {}) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", ...fields });
  return { token_id, token: String(token) };
};
const lastUse = async (token_id: unknown) => (await service.admin({ action: "get", token_id })).last_used_at;

test("an unused token says so; a call is recorded, and further calls within five minutes are not", async () => {
  const { token_id, token } = await issue();
  expect(await lastUse(token_id)).toBeNull();

  const before = new Date().toISOString();
  await service.call("GET", "/api/v1/token", { token });
  const recorded = await lastUse(token_id);
  expect(recorded).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  expect(String(recorded) >= before).toBe(true);

  for (const path of ["/api/v1/token", "/api/v1/key", "/api/v1/key/absent"]) await service.call("GET", path, { token });
  expect(await lastUse(token_id)).toBe(recorded);
});

test("a call that is refused for its input is a use, but one that is refused for its address is not", async () => {
  const { token_id, token } = await issue();
  expect((await service.call("GET", "/api/v1/key", { token, from: "127.0.0.2" })).status).toBe(403);
  expect(await lastUse(token_id)).toBeNull();

  expect((await service.call("GET", "/api/v1/key?limit=0", { token })).status).toBe(422);
  expect(await lastUse(token_id)).not.toBeNull();
});

test("recording a use changes nothing else of a token", async () => {
  const { token_id, token } = await issue({ comment: "billing sync", expires_at: "2999-01-01T00:00:00Z" });
  const { last_used_at: _, ...before } = await service.admin({ action: "get", token_id });
  await service.call("GET", "/api/v1/token", { token });
  expect(await service.admin({ action: "get", token_id })).toMatchObject(before);
});
