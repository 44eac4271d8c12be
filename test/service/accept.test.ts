import { beforeAll, describe, expect, test } from "vitest";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

describe("a client that does not ask for application/json", () => {
  test.each([
    ["no Accept", {}],
    ["a wildcard", { accept: "*/*" }],
    ["a wildcard subtype", { accept: "application/*" }],
    ["another type", { accept: "text/html" }],
    ["a longer type", { accept: "application/json-seq" }],
    ["a weight of zero", { accept: "application/json;q=0" }],
    ["the type inside a quoted parameter", { accept: 'text/html;x=", application/json, "' }],
  ])("is redirected to the documentation: %s", async (_, headers: Record<string, string>) => {
    const answer = await service.call("GET", "/api/v1/key", { headers: { accept: "", ...headers } });

    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe("/api/documentation");
    expect(answer.text).toBe("");
  });

  test("is redirected by a relative reference, whatever its Host header", async () => {
    const answer = await service.call("GET", "/api/v1/key", { headers: { accept: "", host: "evil.example" } });

    expect(answer.headers.location).toBe("/api/documentation");
  });

  test.each(["/api/v1/nowhere", "/api/v9/key", "/api"])(
    "is redirected before the route is checked: %s",
    async (path) => {
      const answer = await service.call("GET", path, { headers: { accept: "text/html" } });

      expect(answer.status).toBe(302);
    },
  );

  test("is redirected before its token is checked, without a database call", async () => {
    const before = await service.usedRights();
    // Nothing else in this file calls this function, so a look-up would use a permission for the first time.
    const answer = await service.call("PUT", "/api/v1/key/1", { headers: { accept: "text/html" } });

    expect(answer.status).toBe(302);
    expect(await service.usedRights()).toEqual(before);
  });

  test("is not redirected in circles at the documentation itself", async () => {
    const answer = await service.call("GET", "/api/documentation", { headers: { accept: "text/html" } });

    expect(answer.status).not.toBe(302);
  });
});

describe("a client that names application/json", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "text/html, application/json;q=0.1",
    "application/json; charset=utf-8",
    "*/*;q=0.5,application/json;q=0.001",
  ])("is answered: %s", async (accept) => {
    const answer = await service.call("GET", "/api/v1/key", { headers: { accept } });

    expect(answer.status).toBe(200);
  });
});
