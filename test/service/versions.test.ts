import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { synthesise } from "../../local/synthesise.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";
import { type CallOptions, type OwnService, startService } from "../support/service.ts";

const app = "node test/fixtures/two-versions/app.ts";

let folder: string;
let service: OwnService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-two-versions-"));
  service = await startService({ assemblyDirectory: await synthesise(folder, { app }), described: twoVersions });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

test("a second version has its own endpoints on the same data, with the same protection and validation", async () => {
  await service.call("POST", "/api/v1/key", { form: { key_id: "1", v_code: "v".repeat(64) } });
  expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining({ key_id: "1" })]);
  expect((await service.call("GET", "/api/v2/key")).json()).toEqual({ count: 1 });
  const greet = (form: Record<string, string>) => service.call("POST", "/api/v2/greeting/you", { form });
  expect((await greet({ word: "Hello" })).json()).toBe("Hello, you!");
  expect((await greet({})).json()).toEqual({ word: ["The word field is required."] });
  expect((await service.call("GET", "/api/v2/key", { token: null })).status).toBe(401);
});

test("a version does not include the other version's endpoints", async () => {
  expect((await service.call("GET", "/api/v2/token")).status).toBe(404);
  expect((await service.call("POST", "/api/v1/greeting/you")).status).toBe(404);
  expect((await service.call("POST", "/api/v2/key")).headers.allow).toBe("GET");
});

const ends = { deprecation: "@1796083200", sunset: "Wed, 01 Dec 2027 00:00:00 GMT" };

test.each<[string, string, string, CallOptions]>([
  ["a success", "GET", "/api/v1/token", {}],
  ["an error", "GET", "/api/v1/token", { token: null }],
  ["a redirect", "GET", "/api/v1/token", { headers: { accept: "text/html" } }],
  ["a wrong method", "PATCH", "/api/v1/token", {}],
  ["an unknown path", "GET", "/api/v1/nowhere", {}],
])("a deprecated version announces its end on %s, and the next version does not", async (_, method, path, options) => {
  expect((await service.call(method, path, options)).headers).toMatchObject(ends);
  const { headers } = await service.call(method, path.replace("v1", "v2"), options);
  for (const name of Object.keys(ends)) expect(headers).not.toHaveProperty(name);
});
