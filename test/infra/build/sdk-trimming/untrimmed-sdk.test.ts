import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OwnService, startService } from "../../../support/service.ts";
import { synthesiseWith } from "../../../support/stages.ts";
import { type BundleFiles, bundlesOf } from "../../../support/template.ts";

let service: OwnService;
let bundles: BundleFiles;
beforeAll(async () => {
  const assemblyDirectory = await synthesiseWith({ trimSdk: "false" });
  bundles = await bundlesOf(assemblyDirectory);
  service = await startService({ assemblyDirectory });
});
afterAll(() => service.close());

test("with -c trimSdk=false, bundles contain what trimming leaves out", async () => {
  const untrimmed = await readFile(bundles["v1-get-key"] ?? "", "utf8");

  expect(untrimmed).toContain("AssumeRoleWithWebIdentity");
  expect(untrimmed).not.toContain("is not in the bundle");
});

test("with -c trimSdk=false, the service runs: a key is stored, listed, replaced and deleted, and a token is refused", async () => {
  const form = { key_id: "1", v_code: "v".repeat(64) };

  expect((await service.call("POST", "/api/v1/key", { form })).status).toBe(201);
  expect((await service.call("POST", "/api/v1/key", { form })).status).toBe(200);
  expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining(form)]);
  expect((await service.call("PUT", "/api/v1/key/1", { form: { v_code: "w".repeat(64) } })).status).toBe(200);
  expect((await service.call("DELETE", "/api/v1/key/1")).status).toBe(204);
  expect((await service.call("GET", "/api/v1/key/1")).status).toBe(404);
  expect((await service.call("GET", "/api/v1/token", { token: null })).status).toBe(401);
});
