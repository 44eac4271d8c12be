import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { synthesise } from "../../local/synthesise.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";
import { type OwnService, startService } from "../support/service.ts";

const appFile = fileURLToPath(new URL("../fixtures/two-versions/app.ts", import.meta.url));

let folder: string;
let service: OwnService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-two-versions-"));
  service = await startService({ assemblyDirectory: await synthesise(folder, { appFile }), described: twoVersions });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

describe("a second version beside the first", () => {
  test("answers with its own endpoints while the first answers with its own", async () => {
    await service.call("POST", "/api/v1/key", { form: { key_id: "1", v_code: "v".repeat(64) } });

    expect((await service.call("GET", "/api/v2/key")).json()).toEqual({ count: 1 });
    expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining({ key_id: "1" })]);
    expect((await service.call("POST", "/api/v2/greeting/you", { form: { word: "Hello" } })).json()).toBe(
      "Hello, you!",
    );
  });

  test("has the same protection and validation as the first", async () => {
    expect((await service.call("GET", "/api/v2/key", { token: null })).status).toBe(401);
    expect((await service.call("POST", "/api/v2/greeting/you", { form: {} })).json()).toEqual({
      word: ["The word field is required."],
    });
  });

  test("does not have the endpoints of the first, and the first does not have those of the second", async () => {
    expect((await service.call("GET", "/api/v2/token")).status).toBe(404);
    expect((await service.call("POST", "/api/v1/greeting/you")).status).toBe(404);
    expect((await service.call("POST", "/api/v2/key")).headers.allow).toBe("GET");
  });
});

describe("a deprecated version", () => {
  test.each([
    ["a success", {}],
    ["an error", { token: null }],
    ["a redirect", { headers: { accept: "text/html" } }],
    ["a wrong method", {}, "PATCH"],
    ["an unknown path", {}, "GET", "/api/v1/nowhere"],
  ])("announces its end on %s", async (_, options, method = "GET", path = "/api/v1/token") => {
    const { headers } = await service.call(method, path, options);

    expect(headers.deprecation).toBe("@1796083200");
    expect(headers.sunset).toBe("Wed, 01 Dec 2027 00:00:00 GMT");
  });

  test("does not announce an end of the next version", async () => {
    const { headers } = await service.call("GET", "/api/v2/key");

    expect(headers).not.toHaveProperty("deprecation");
    expect(headers).not.toHaveProperty("sunset");
  });
});
