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
  return { statusCode, allow: headers?.Allow, caching: headers?.["Cache-Control"], body: String(body ?? "") };
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
