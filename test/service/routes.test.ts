import { beforeAll, describe, expect, test } from "vitest";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

describe("a request without a route", () => {
  test.each([
    "/api/v1/nowhere",
    "/api/v999/key",
    "/api/v1/key/",
    "/api/v1/",
    "/api/v1",
    "/api",
    "/nowhere",
    "/API/v1/key",
  ])("is 404 at %s", async (path) => {
    const answer = await service.call("GET", path);

    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: "endpoint_not_found" });
  });

  test.each([
    ["PATCH", "/api/v1/key", "GET, POST"],
    ["PUT", "/api/v1/key", "GET, POST"],
    ["OPTIONS", "/api/v1/key", "GET, POST"],
    ["POST", "/api/v1/key/1", "DELETE, GET, PUT"],
    ["PUT", "/api/v1/token", "DELETE, GET, POST"],
    ["GET", "/api/v1/token/move", "POST"],
    ["POST", "/api/documentation", "GET, HEAD"],
  ])("is a 405 with Allow if the path has other methods: %s %s", async (method, path, allow) => {
    const answer = await service.call(method, path);

    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.json()).toMatchObject({ code: "method_not_allowed" });
  });

  test("is answered without a token, because none is needed", async () => {
    expect((await service.call("GET", "/api/v1/nowhere", { token: null })).status).toBe(404);
  });
});

describe("every answer", () => {
  test.each<[number, string, string, Parameters<TestService["call"]>[2]]>([
    [200, "GET", "/api/v1/key", {}],
    [201, "POST", "/api/v1/key", { form: { key_id: "headers", v_code: "v".repeat(64) } }],
    [204, "DELETE", "/api/v1/key/headers", {}],
    [302, "GET", "/api/v1/key", { headers: { accept: "text/html" } }],
    [401, "GET", "/api/v1/key", { token: null }],
    [404, "GET", "/api/v1/nowhere", {}],
    [405, "PATCH", "/api/v1/key", {}],
    [415, "POST", "/api/v1/key", {}],
    [422, "POST", "/api/v1/key", { form: {} }],
  ])("with the status %i has the common headers", async (status, method, path, options) => {
    const answer = await service.call(method, path, options);

    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-cache",
      connection: "close",
      "x-content-type-options": "nosniff",
      "strict-transport-security": expect.stringContaining("max-age="),
      "x-request-id": expect.stringMatching(/\S/),
    });
    expect(answer.headers["content-type"]).toBe(answer.text === "" ? "text/plain; charset=utf-8" : "application/json");
    expect(service.logged()).toContain(`"request_id":"${answer.headers["x-request-id"]}"`);
  });
});
