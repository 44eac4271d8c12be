import { afterEach, expect, test } from "vitest";
import { synthesiseTemplates } from "../support/option-sets.ts";
import { type OwnService, startService } from "../support/service.ts";
import { everyOption } from "../support/stages.ts";

let service: OwnService | undefined;
afterEach(() => service?.close());

test.each([
  ["development", { stage: "dev" }],
  ["staging", { stage: "staging" }],
  ["production with every option", everyOption],
])("the service runs as %s", async (_, context) => {
  service = await startService({ assemblyDirectory: await synthesiseTemplates(context) });
  const form = { key_id: "1", v_code: "v".repeat(64) };

  expect((await service.call("POST", "/api/v1/key", { form })).status).toBe(201);
  expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining(form)]);
  expect((await service.call("PUT", "/api/v1/key/1", { form: { v_code: "w".repeat(64) } })).status).toBe(200);
  expect((await service.call("DELETE", "/api/v1/key/1")).status).toBe(204);
  expect((await service.call("GET", "/api/v1/token", { token: null })).status).toBe(401);
  expect((await service.call("GET", "/api/v1/nowhere")).status).toBe(404);
  expect((await service.call("GET", "/api/documentation/api-docs.json")).status).toBe(200);
  expect(await service.admin({ action: "list" })).toMatchObject({ tokens: [expect.anything()] });
});

test("the log level of the stage determines what is logged", async () => {
  service = await startService({ assemblyDirectory: await synthesiseTemplates({ stage: "dev", logLevel: "warn" }) });
  const token = await service.issueToken("127.0.0.7");
  await service.call("GET", "/api/v1/token");
  await service.call("GET", "/api/v1/token", { token });

  expect(service.logged()).toContain('"leak_signal"');
  // Actions of admins are logged at any level.
  const lines = service.logged().split("\n");
  expect(lines.filter((line) => line.includes(`"level":"INFO"`) && !line.includes(`"actor"`))).toEqual([]);
});
