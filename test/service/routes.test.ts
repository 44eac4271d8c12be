import { beforeAll, describe, expect, test } from "vitest";
import { type CallOptions, sharedService, type TestService } from "../support/service.ts";

/* Tests what the gateway and all functions have in common, whichever endpoint is called. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

test.each<[number, string, string, CallOptions]>([
  [200, "GET", "/api/v1/key", {}],
  [204, "DELETE", "/api/v1/token", {}],
  [302, "GET", "/api/v1/key", { headers: { accept: "text/html", host: "evil.example" } }],
  [307, "POST", "/api/v1/nowhere", { headers: { accept: "*/*" } }],
  [401, "GET", "/api/v1/key", { token: null }],
  [404, "GET", "/api/v1/nowhere", { token: null }],
  [404, "GET", "/nowhere", { token: null }],
  [405, "OPTIONS", "/api/v1/key", { token: null }],
  [422, "POST", "/api/v1/key", { form: {} }],
])(
  "every response with the status %i has the common headers and a log line: %s %s",
  async (status, method, path, options) => {
    const response = await service.call(method, path, { token: await service.issueToken(), ...options });
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      "cache-control": "no-cache",
      connection: "close",
      "x-content-type-options": "nosniff",
      "strict-transport-security": expect.stringContaining("max-age="),
      "x-request-id": expect.stringMatching(/\S/),
      "content-type": response.text === "" ? "text/plain; charset=utf-8" : "application/json",
      ...((status === 302 || status === 307) && { location: "/api/documentation" }),
    });
    expect(service.logged()).toContain(`"request_id":"${response.headers["x-request-id"]}"`);
  },
);

test.each([
  ["OPTIONS", "/api/v1/key", "GET, POST"],
  ["POST", "/api/v1/key/1", "DELETE, GET, PUT"],
  ["POST", "/api/documentation", "GET, HEAD"],
  ["PATCH", "/admin/tokens", "GET, POST"],
])("an unsupported method returns the allowed methods without a token: %s %s", async (method, path, allow) => {
  expect(await service.call(method, path, { token: null })).toMatchObject({ status: 405, headers: { allow } });
});

test("redirects a client that does not request application/json, without a database call", async () => {
  const before = await service.usedRights();
  // Nothing else in this file calls this function, so any lookup would use the permission for the first time.
  const response = await service.call("PUT", "/api/v1/key/1", { headers: { accept: "text/html" } });
  expect(response.status).toBe(307);
  expect(await service.usedRights()).toEqual(before);
});

test.each(["POST", "DELETE"])(
  "a %s without Accept fails after its redirect, and the error explains why",
  async (method) => {
    const body = method === "POST" ? { body: new URLSearchParams({ key_id: "1" }) } : {};
    const response = await fetch(`${service.baseUrl}/api/v1/key`, { method, ...body });
    expect(response).toMatchObject({ redirected: true, status: 405 });
    expect(await response.json()).toMatchObject({ message: expect.stringContaining("Accept: application/json") });
  },
);

describe("a long response", () => {
  beforeAll(async () => {
    for (let index = 0; index < 40; index += 1) {
      await service.call("POST", "/api/v1/key", { form: { key_id: `ключ ${index}`, v_code: "ü".repeat(64) } });
    }
  });
  const list = (accepted: string) => service.call("GET", "/api/v1/key", { headers: { "accept-encoding": accepted } });

  test.for(["br", "gzip"])("is compressed with %s, and decodes to the same response", async (encoding) => {
    const [plain, compressed] = [await list("identity"), await list(encoding)];
    expect(compressed.headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Encoding" });
    expect(compressed).toMatchObject({ text: plain.text, headers: { etag: plain.headers.etag } });
    expect(compressed.sentBytes).toBeLessThan(plain.sentBytes / 2);
    expect(plain.headers).not.toHaveProperty("content-encoding");
  });
});
