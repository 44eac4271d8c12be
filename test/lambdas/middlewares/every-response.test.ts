import { expect, test } from "vitest";
import { acceptJson } from "../../../lambdas/middlewares/accept-json.ts";
import { addHeaders, type ResponseHeaders } from "../../../lambdas/middlewares/add-headers.ts";
import { apiChain } from "../../../lambdas/middlewares/chain.ts";
import { limitRate } from "../../../lambdas/middlewares/limit-rate.ts";
import type { LogFields } from "../../../lambdas/middlewares/log-request.ts";
import { readAhead } from "../../../lambdas/middlewares/read-ahead.ts";
import type { ApiEvent, ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { recordUse, verifyToken } from "../../../lambdas/middlewares/verify-token.ts";
import { ApiError, otherError, ValidationError } from "../../../lambdas/shared/errors/api-error.ts";
import { notFoundPage } from "../../../lambdas/site/not-found-page.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../kit/support/tokens.ts";
import { captureLog } from "../support/outcomes.ts";

/* Tests the part of the chain that every function has: headers, errors, the log line, and the redirect to the documentation. */

type Handler = (event: ApiEvent & LogFields & ResponseHeaders) => Promise<ApiResponse> | undefined;

const requestOf = (accept: string) =>
  apiEvent({
    headers: { accept, host: "evil.example", "x-token": "hush" },
    rawQueryString: "a=hush",
    body: "hush",
    requestId: "request-7",
    routeKey: "POST /api/v1/key",
  });

/** Returns the response of a new environment of a function with this handler, and its log. */
const serve = async (
  handler: Handler,
  { accept = "application/json", headers = {} }: { accept?: string; headers?: Record<string, string> } = {},
) => {
  const log = captureLog();
  const response = await apiChain({ headers }).handler<ApiEvent>(handler)(requestOf(accept), lambdaContext);
  return { response, log };
};

const fail =
  (error: unknown): Handler =>
  async () => {
    throw error;
  };
const succeed: Handler = async () => ({ statusCode: 201, headers: { Link: "<x>" }, body: "hush" });

const ofEveryResponse = {
  "Cache-Control": "no-cache",
  Connection: "close",
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
  "X-Request-Id": "request-7",
};
const about = { message: "request", request_id: "request-7", route: "POST /api/v1/key", source_ip: "198.51.100.7" };
const ofJson = { ...ofEveryResponse, "Content-Type": "application/json" };

const unavailable = new ApiError("unavailable", {
  facts: { fact: "known" },
  headers: { "Retry-After": "1" },
  cause: new Error("cause-7f3"),
});
const wrongMethod = otherError("method_not_allowed", {
  values: { method: "PATCH", allow: "GET" },
  facts: { fact: "known" },
  headers: { Allow: "GET" },
});
const leak = { leak_signal: "right secret, wrong address" };
const replacing: Handler = async (event) => {
  Object.assign(event.responseHeaders, { RateLimit: "1", Link: "<other>" });
  return { statusCode: 200, headers: { "Cache-Control": "no-store", Link: "<x>", "X-Request-Id": "forged" } };
};
const fields: Record<string, string[]> = Object.create(null);
Object.defineProperty(fields, "__proto__", { value: ["The __proto__ field is not known."], enumerable: true });

test.for<[string, Handler, ApiResponse | undefined, object]>([
  [
    "a success",
    succeed,
    { statusCode: 201, headers: { ...ofEveryResponse, Link: "<x>" }, body: "hush" },
    { level: "INFO", status: 201 },
  ],
  [
    "a response whose headers replace those of middlewares, except for the request id",
    replacing,
    { statusCode: 200, headers: { ...ofEveryResponse, "Cache-Control": "no-store", RateLimit: "1", Link: "<x>" } },
    { level: "INFO", status: 200 },
  ],
  ["no response", () => undefined, undefined, { level: "INFO" }],
  [
    "an error of the catalogue",
    fail(wrongMethod),
    {
      statusCode: 405,
      headers: { ...ofJson, Allow: "GET" },
      body: '{"code":"method_not_allowed","message":"This endpoint does not support PATCH. It supports GET."}',
    },
    { level: "INFO", status: 405, code: "method_not_allowed", fact: "known" },
  ],
  [
    "a validation error, even of a field named __proto__",
    fail(new ValidationError(fields)),
    { statusCode: 422, headers: ofJson, body: '{"__proto__":["The __proto__ field is not known."]}' },
    { level: "INFO", status: 422, code: "validation_failed" },
  ],
  [
    "a refusal that is a sign of a leak",
    fail(new ApiError("ip_not_allowed", { values: { ip: "::1" }, facts: leak })),
    { statusCode: 403, headers: ofJson, body: expect.stringContaining("ip_not_allowed") },
    { level: "WARN", status: 403, code: "ip_not_allowed", ...leak },
  ],
  [
    "a 5xx of the catalogue, whose cause only the log names",
    fail(unavailable),
    {
      statusCode: 503,
      headers: { ...ofJson, "Retry-After": "1" },
      body: expect.stringMatching(/^{"code":"unavailable","message":"[^"]+"}$/),
    },
    { level: "ERROR", status: 503, code: "unavailable", fact: "known", cause: expect.stringContaining("Error: cause") },
  ],
])("adds the common headers, and logs no headers, query or body of %s", async ([, handler, expected, line]) => {
  const { response, log } = await serve(handler);
  expect(response).toEqual(expected);
  expect(JSON.stringify(response) ?? "").not.toContain("cause-7f3");
  expect(log.lines()).toEqual([{ ...about, ...line, cold_start: true }]);
  expect(log.text()).not.toContain("hush");
});

test.for<[string, unknown, string]>([
  ["an error", new TypeError("cause-7f3"), "TypeError: cause-7f3"],
  ["a frozen error", Object.freeze(new Error("cause-7f3")), "cause-7f3"],
  ["an object", { reason: "cause-7f3" }, "cause-7f3"],
  ["an object without a prototype", Object.create(null), ""],
  ["one that looks like an HTTP error", Object.assign(new Error("cause-7f3"), { statusCode: 418, expose: true }), ""],
  ["null", null, "null"],
  ["undefined", undefined, "undefined"],
])("responds with 500 to any other thrown value, which appears only in the log: %s", async ([, thrown, cause]) => {
  const { response, log } = await serve(fail(thrown));
  expect(response).toMatchObject({ statusCode: 500, headers: ofJson });
  const body = { code: "internal_error", message: expect.stringMatching(/^Something went wrong/) };
  expect(JSON.parse(String(response.body))).toEqual(body);
  expect(JSON.stringify(response)).not.toMatch(/cause-7f3|at .*\.ts/);
  const line = { level: "ERROR", status: 500, cause: expect.stringContaining(cause) };
  expect(log.lines()).toEqual([{ ...about, ...line, cold_start: true }]);
});

test("redirects to a relative Location that the Host header cannot change", async () => {
  const { response, log } = await serve(succeed, { accept: "text/html" });
  expect(response).toMatchObject({ statusCode: 302, headers: { ...ofJson, Location: "/api/documentation" } });
  expect(JSON.parse(String(response.body))).toEqual({
    code: "json_not_accepted",
    message: expect.stringContaining("Accept: application/json"),
  });
  expect(log.lines()).toEqual([{ level: "INFO", ...about, status: 302, code: "json_not_accepted", cold_start: true }]);
});

test("the log line has the fields that middlewares and the handler added, whatever the outcome", async () => {
  const caller = { token_id: newToken().record.token_id, credential: "invitation", actor: "alice@example.com" };
  for (const outcome of [succeed, fail(new ApiError("key_not_found"))]) {
    const { log } = await serve((event) => outcome(Object.assign(event, { logFields: caller })));
    expect(log.lines()).toEqual([expect.objectContaining(caller)]);
  }
});

test("compresses a long body for a client that accepts it", async () => {
  const serve = apiChain().handler<ApiEvent>(async () => ({ statusCode: 200, body: "x".repeat(3_000) }));
  const event = apiEvent({ headers: { accept: "application/json", "accept-encoding": "br" } });
  captureLog();
  expect(await serve(event, lambdaContext)).toMatchObject({ headers: { "Content-Encoding": "br" } });
});

test("a middleware rejects unknown options", () => {
  const ofAll = [addHeaders, acceptJson, notFoundPage];
  const ofEndpoints = [readAhead, verifyToken, limitRate, recordUse];
  for (const create of [...ofAll, ...ofEndpoints] as ((options: object) => unknown)[])
    expect(() => create({ maxDays: 1 }), create.name).toThrow(`${create.name} has no option maxDays.`);
});

test("only an environment's first request is a cold start, whatever its outcome", async () => {
  for (const isFailure of [false, true]) {
    const log = captureLog();
    const broken = fail(new ApiError("unavailable"));
    const outcomes = [isFailure ? broken : succeed, succeed, broken];
    const chain = apiChain().handler<ApiEvent>((event) => outcomes.shift()?.(event));
    for (let calls = 0; calls < 3; calls += 1) await chain(requestOf("application/json"), lambdaContext);
    expect(log.lines().map((line) => Object(line).cold_start)).toEqual([true, undefined, undefined]);
  }
});
