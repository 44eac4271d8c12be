import { beforeAll, expect, test } from "vitest";
import { sharedService, type TestService } from "../support/service.ts";

/* Tests requests that match no route, with the paths of the whole service. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

test.each([
  ["OPTIONS", "/api/v1/key", "GET, POST"],
  ["POST", "/api/v1/key/1", "DELETE, GET, PUT"],
  ["POST", "/api/documentation", "GET, HEAD"],
  ["PATCH", "/admin/tokens", "GET, POST"],
])("an unsupported method returns the allowed methods without a token: %s %s", async (method, path, allow) => {
  expect(await service.call(method, path, { token: null })).toMatchObject({ status: 405, headers: { allow } });
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
