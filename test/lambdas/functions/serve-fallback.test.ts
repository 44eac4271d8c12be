import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { serveFallback } from "../../../lambdas/functions/serve-fallback.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { captureLog } from "../support/captured-log.ts";

const fallback = serveFallback({ "/api/v1/key": ["GET", "POST"], "/api/v1/key/{key_id}": ["GET", "PUT", "DELETE"] });

const answerTo = async (method: string, rawPath: string, accept = "application/json") => {
  captureLog();
  const { statusCode, headers, body } = await fallback(
    apiEvent({ method, rawPath, routeKey: "$default", headers: { accept } }),
    lambdaContext,
  );
  return {
    statusCode,
    allow: headers?.Allow,
    caching: headers?.["Cache-Control"],
    type: headers?.["Content-Type"],
    policy: String(headers?.["Content-Security-Policy"]),
    body: String(body ?? ""),
  };
};

describe("a path that the API has", () => {
  test.for([
    ["PATCH", "/api/v1/key", ["GET", "POST"]],
    ["POST", "/api/v1/key/1", ["DELETE", "GET", "PUT"]],
    ["HEAD", "/api/v1/key/a%2Fb", ["DELETE", "GET", "PUT"]],
    ["PATCH", "/api/v1/key/a/b", ["DELETE", "GET", "PUT"]],
    ["{allow}", "/api/v1/key", ["GET", "POST"]],
  ] as const)("answers %s %s with the allowed methods", async ([method, path, methods]) => {
    const { statusCode, allow, body } = await answerTo(method, path);
    expect(statusCode).toBe(405);
    expect(String(allow).split(", ").toSorted()).toEqual(methods);
    const message = `This endpoint does not support ${method}. It supports ${String(allow)}.`;
    expect(JSON.parse(body)).toEqual({ code: "method_not_allowed", message });
  });
});

describe("a browser on a path that does not exist", () => {
  const fromBrowser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  test.for([
    ["GET", "/nowhere"],
    ["HEAD", "/keys/"],
    ["GET", "/api/documentation/nowhere"],
  ] as const)("gets a page without scripts, whose policy allows its own style alone: %s %s", async ([method, path]) => {
    const { statusCode, type, caching, policy, body } = await answerTo(method, path, fromBrowser);
    expect({ statusCode, type, caching }).toEqual({
      statusCode: 404,
      type: "text/html; charset=utf-8",
      caching: "no-cache",
    });
    const [, style = ""] = /<style>(.*)<\/style>/s.exec(body) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "img-src data:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(body).toContain("<h1>Page not found</h1>");
    expect(body).not.toMatch(/<script|https?:/);
  });

  test("gets the answers of the API below /api and /admin", async () => {
    expect(await answerTo("GET", "/api/v1/nowhere", fromBrowser)).toMatchObject({ statusCode: 302, body: "" });
    const bothTypes = "text/html, application/json;q=0.5";
    for (const path of ["/api/v1/nowhere", "/admin", "/admin/nowhere"]) {
      const { statusCode, type, body } = await answerTo("GET", path, bothTypes);
      expect({ statusCode, type }).toEqual({ statusCode: 404, type: "application/json" });
      expect(JSON.parse(body)).toMatchObject({ code: "endpoint_not_found" });
    }
  });

  test.for(["*/*", "", "application/json", "application/json, text/html;q=0.9", "text/html;q=0, */*"])(
    "is not what a client that accepts %j is taken for",
    async (accept) => {
      expect(await answerTo("GET", "/nowhere", accept)).toMatchObject({ statusCode: 404, type: "application/json" });
    },
  );

  test("gets JSON for anything but GET and HEAD", async () => {
    expect(await answerTo("POST", "/nowhere", fromBrowser)).toMatchObject({ type: "application/json" });
  });

  test("leaves the same line in the log as any other client", async () => {
    const { lines } = captureLog();
    await fallback(
      apiEvent({ method: "GET", rawPath: "/nowhere", routeKey: "$default", headers: { accept: fromBrowser } }),
      lambdaContext,
    );
    expect(lines()).toMatchObject([{ status: 404, code: "endpoint_not_found" }]);
  });
});

describe("a path that does not exist", () => {
  test.for(["/api", "/api/", "/api/v1", "/api/v2/key", "/api/v1/keys", "/api/v1/key/", "/API/v1/key", "/api/v1/xkey"])(
    "is not found: %s",
    async (path) => {
      const { statusCode, body } = await answerTo("GET", path);
      expect(statusCode).toBe(404);
      expect(JSON.parse(body)).toMatchObject({ code: "endpoint_not_found" });
    },
  );

  test.for([
    ["/admin", "no-store"],
    ["/admin/keys/", "no-store"],
    ["/administrators", "no-cache"],
    ["/api/v1/keys", "no-cache"],
  ])("is stored by browsers or not like the other responses below it: %s", async ([path = "", caching]) => {
    expect(await answerTo("GET", path)).toMatchObject({ statusCode: 404, caching });
  });

  test("redirects a client that does not ask for JSON to the documentation, but only under /api", async () => {
    expect(await answerTo("GET", "/api/v1/unknown", "text/html")).toMatchObject({ statusCode: 302, body: "" });
    expect(await answerTo("GET", "/apis", "text/html")).toMatchObject({ statusCode: 404 });
    expect(await answerTo("GET", "/api/documentation/unknown", "text/html")).toMatchObject({ statusCode: 404 });
  });
});
