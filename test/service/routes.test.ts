import { beforeAll, describe, expect, test } from "vitest";
import { authorizationOf, type CallOptions, sharedService, type TestService } from "../support/service.ts";

/* What the gateway and all functions have in common, whichever endpoint is called. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

describe("a request without a route, for which no token is needed,", () => {
  test.each(["/api/v1/nowhere", "/api/v1/key/", "/api", "/nowhere"])("is 404 at %s", async (path) => {
    const answer = await service.call("GET", path, { token: null });
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: "endpoint_not_found" });
  });

  test.each([
    ["OPTIONS", "/api/v1/key", "GET, POST"],
    ["POST", "/api/v1/key/1", "DELETE, GET, PUT"],
    ["PUT", "/api/v1/token", "DELETE, GET, POST"],
    ["GET", "/api/v1/token/move", "POST"],
    ["POST", "/api/documentation", "GET, HEAD"],
    ["PATCH", "/admin/tokens", "GET, POST"],
  ])("is a 405 with Allow if the path has other methods: %s %s", async (method, path, allow) => {
    const answer = await service.call(method, path, { token: null });
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
    expect(answer.json()).toMatchObject({ code: "method_not_allowed" });
  });
});

describe("a client that does not ask for application/json", () => {
  test.each(["/api/v1/key", "/api/v1/nowhere"])(
    "is redirected by a relative reference, whatever its Host header: %s",
    async (path) => {
      const answer = await service.call("GET", path, { headers: { accept: "*/*", host: "evil.example" } });
      expect(answer).toMatchObject({ status: 302, text: "", headers: { location: "/api/documentation" } });
    },
  );

  test("is redirected before its token is checked, without a database call", async () => {
    const before = await service.usedRights();
    // Nothing else in this file calls this function, so a look-up would use a permission for the first time.
    const answer = await service.call("PUT", "/api/v1/key/1", { headers: { accept: "text/html" } });
    expect(answer.status).toBe(302);
    expect(await service.usedRights()).toEqual(before);
  });
});

test.each<[number, string, string, CallOptions]>([
  [200, "GET", "/api/v1/key", {}],
  [201, "POST", "/api/v1/key", { form: { key_id: "headers", v_code: "v".repeat(64) } }],
  [204, "DELETE", "/api/v1/key/headers", {}],
  [302, "GET", "/api/v1/key", { headers: { accept: "text/html" } }],
  [401, "GET", "/api/v1/key", { token: null }],
  [404, "GET", "/api/v1/nowhere", {}],
  [422, "POST", "/api/v1/key", { form: {} }],
])(
  "every response with the status %i has the common headers, and a line in the log",
  async (status, method, path, options) => {
    const answer = await service.call(method, path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-cache",
      connection: "close",
      "x-content-type-options": "nosniff",
      "strict-transport-security": expect.stringContaining("max-age="),
      "x-request-id": expect.stringMatching(/\S/),
      "content-type": answer.text === "" ? "text/plain; charset=utf-8" : "application/json",
    });
    expect(service.logged()).toContain(`"request_id":"${answer.headers["x-request-id"]}"`);
  },
);

describe("a long response", () => {
  beforeAll(async () => {
    for (let index = 0; index < 40; index += 1) {
      await service.call("POST", "/api/v1/key", { form: { key_id: `ключ ${index}`, v_code: "ü".repeat(64) } });
    }
  });
  const list = (accepted: string) => service.call("GET", "/api/v1/key", { headers: { "accept-encoding": accepted } });

  test.for(["br", "gzip"])("is compressed with %s, and is the same when it is decoded", async (encoding) => {
    const [plain, compressed] = [await list("identity"), await list(encoding)];
    expect(compressed.headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
    expect(compressed).toMatchObject({ text: plain.text, headers: { etag: plain.headers.etag } });
    expect(compressed.sentBytes).toBeLessThan(plain.sentBytes / 2);
    expect(plain.sentBytes).toBe(Buffer.byteLength(plain.text));
    const short = await service.call("GET", "/api/v1/key/missing", { headers: { "accept-encoding": encoding } });
    for (const { headers } of [plain, short]) expect(headers).not.toHaveProperty("content-encoding");
  });

  test("to an admin is compressed, too, and stored by no cache", async () => {
    const headers = { ...(await authorizationOf(service)), "accept-encoding": "br" };
    const answer = await fetch(`${service.baseUrl}/admin/keys`, { headers });
    expect(Object.fromEntries(answer.headers)).toMatchObject({ "content-encoding": "br", "cache-control": "no-store" });
    expect(await answer.json()).toHaveProperty("keys");
  });
});
