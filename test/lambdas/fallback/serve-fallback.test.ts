import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { serveFallback } from "../../../lambdas/fallback/serve-fallback.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { captureLog } from "../support/outcomes.ts";

const fallback = serveFallback(
  { "/api/v1/key": ["GET", "POST"], "/api/v1/key/{key_id}": ["GET", "PUT", "DELETE"], "/api/v1/{any}/{id}": ["POST"] },
  { v1: { Sunset: "soon" } },
);

const json = "application/json";
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const responseTo = async (method: string, rawPath: string, accept: string) => {
  const log = captureLog();
  const event = apiEvent({ method, rawPath, routeKey: "$default", headers: { accept } });
  const { statusCode, headers = {}, body = "" } = await fallback(event, lambdaContext);
  const [line] = log.lines();
  return { status: statusCode, headers, body: String(body), line };
};

test.for([
  ["HEAD", "/api/v1/key/a%2Fb", "DELETE, GET, POST, PUT"],
  ["PATCH", "/api/v1/key/a/b", "DELETE, GET, POST, PUT"],
  ["GET", "/api/v1/other/1", "POST"],
  ["{allow}", "/api/v1/key", "GET, POST"],
] as const)("returns the allowed methods of a known path for %s %s: %s", async ([method, path, allow]) => {
  const { status, headers, body, line } = await responseTo(method, path, json);
  expect({ status, headers }).toMatchObject({ status: 405, headers: { Allow: allow, Sunset: "soon" } });
  const message = `This endpoint does not support ${method}. It supports ${allow}.`;
  expect(JSON.parse(body)).toEqual({ code: "method_not_allowed", message });
  expect(line).toMatchObject({ method, path: expect.stringContaining("/api/v1/") });
});

test.for([
  ...["/api", "/api/", "/api/v1", "/api/v2/key", "/api/v1/keys", "/api/v1/key/", "/API/v1/key", "/api/v1/xkey"],
  ...["/admin", "/admin/keys/", "/administrators"],
])("returns 404 for an unknown path, which caches must not store under /admin: %s", async (path) => {
  const { status, headers, body, line } = await responseTo("GET", path, json);
  const caching = /^\/admin(\/|$)/.test(path) ? "no-store" : "no-cache";
  expect({ status, headers }).toMatchObject({ status: 404, headers: { "Cache-Control": caching } });
  expect(headers.Sunset).toBe(path.split("/")[2] === "v1" ? "soon" : undefined);
  expect(JSON.parse(body)).toMatchObject({ code: "endpoint_not_found" });
  expect(line).toMatchObject({ status: 404, code: "endpoint_not_found", method: "GET" });
});

test.for([
  ["HEAD", "/keys/"],
  ["GET", "/api/documentation/nowhere"],
] as const)("returns a self-contained page to browsers for an unknown path: %s %s", async ([method, path]) => {
  const { status, headers, body, line } = await responseTo(method, path, browser);
  const type = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" };
  expect({ status, headers }).toMatchObject({ status: 404, headers: type });
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(body) ?? [];
  expect(String(headers["Content-Security-Policy"]).split("; ")).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(body).toContain("<h1>Page not found</h1>");
  expect(body).not.toMatch(/<script|https?:/);
  expect(line).toMatchObject({ status: 404, code: "endpoint_not_found" });
});

test.for<[string, string, string, number]>([
  ["GET", "/nowhere", "*/*", 404],
  ["GET", "/nowhere", "", 404],
  ["GET", "/nowhere", `${json}, text/html;q=0.9`, 404],
  ["GET", "/nowhere", "text/html;q=0, */*", 404],
  ["POST", "/nowhere", browser, 404],
  ["GET", "/api/v1/nowhere", `text/html, ${json};q=0.5`, 404],
  ["GET", "/admin/nowhere", browser, 404],
  ["GET", "/api/v1/nowhere", browser, 302],
])(
  "does not return the page to other clients: %s %s for Accept: %s returns %i",
  async ([method, path, accept, status]) => {
    const { headers, ...response } = await responseTo(method, path, accept);
    expect(response.status).toBe(status);
    expect(headers["Content-Type"]).toBe(json);
  },
);

test.for<[path: string, target: string]>([
  ["/llms.txt", "/api/documentation/llms.txt"],
  ["/llms-full.txt", "/api/documentation/llms-full.txt"],
  ["/openapi.json", "/api/documentation/api-docs.json"],
  ["/api/documentation/", "/api/documentation"],
])("redirects a commonly guessed address to the documentation: %s", async ([path, target]) => {
  expect(await responseTo("GET", path, "*/*")).toMatchObject({ status: 308, headers: { Location: target } });
  expect(await responseTo("POST", path, json)).toMatchObject({ status: 404 });
});
