import { describe, expect, test } from "vitest";
import { deprecationHeaders } from "../../../lambdas/declaration/operations.ts";
import { ApiError, ValidationError } from "../../../lambdas/errors/api-error.ts";
import { apiChain } from "../../../lambdas/functions/api-chain.ts";
import type { ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { captureLog } from "../support/captured-log.ts";

interface Call {
  accept?: string;
  headers?: Record<string, string>;
}

/** The answer of the chain around a handler, and the log. */
const answerOf = async (
  handler: () => Promise<ApiResponse>,
  { accept = "application/json", headers = {} }: Call = {},
) => {
  const log = captureLog();
  const chain = apiChain({ headers }).handler(handler);
  const event = apiEvent({ headers: { accept, host: "evil.example" }, requestId: "request-7" });
  const response = await chain(event, lambdaContext);
  return { ...response, log };
};

const fail = (error: unknown) => async (): Promise<ApiResponse> => {
  throw error;
};
const succeed = async (): Promise<ApiResponse> => ({ statusCode: 200, headers: { Link: "<x>" }, body: "[]" });

describe("every answer", () => {
  test.for<[number, () => Promise<ApiResponse>, string]>([
    [200, succeed, "application/json"],
    [204, async () => ({ statusCode: 204 }), "application/json"],
    [302, succeed, "text/html"],
    [404, fail(new ApiError("key_not_found")), "application/json"],
    [422, fail(new ValidationError({ v_code: ["The v_code must be 64 characters."] })), "application/json"],
    [500, fail(new Error("broken")), "application/json"],
    [503, fail(new ApiError("unavailable")), "application/json"],
  ])("has the common headers: %d", async ([status, handler, accept]) => {
    const { statusCode, headers } = await answerOf(handler, { accept });
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      "Cache-Control": "no-cache",
      Connection: "close",
      "X-Content-Type-Options": "nosniff",
      "Strict-Transport-Security": expect.stringMatching(/^max-age=\d{8,}/),
      "X-Request-Id": "request-7",
    });
  });

  test("keeps its own headers", async () => {
    expect((await answerOf(succeed)).headers).toMatchObject({ Link: "<x>" });
    const busy = new ApiError("unavailable", { headers: { "Retry-After": "1" } });
    expect((await answerOf(fail(busy))).headers).toMatchObject({ "Retry-After": "1" });
  });

  test("of a deprecated version says so as RFC 9745 and RFC 8594 specify, even for errors and redirects", async () => {
    const headers = deprecationHeaders({
      since: new Date("2027-01-01T00:00:00.900Z"),
      sunset: new Date("2027-12-03T09:05:07Z"),
    });
    for (const call of [
      answerOf(succeed, { headers }),
      answerOf(fail("x"), { headers }),
      answerOf(succeed, { headers, accept: "*/*" }),
    ]) {
      expect((await call).headers).toMatchObject({
        Deprecation: "@1798761600",
        Sunset: "Fri, 03 Dec 2027 09:05:07 GMT",
      });
    }
  });

  test("of a version that is not deprecated announces no end", async () => {
    const { headers } = await answerOf(succeed, { headers: deprecationHeaders(undefined) });
    expect(headers).not.toHaveProperty("Deprecation");
    expect(headers).not.toHaveProperty("Sunset");
  });
});

describe("an error", () => {
  test("of the catalogue is answered as JSON with its code and message", async () => {
    const { statusCode, headers, body } = await answerOf(fail(new ApiError("key_not_found")));
    expect(statusCode).toBe(404);
    expect(headers).toMatchObject({ "Content-Type": "application/json" });
    expect(JSON.parse(String(body))).toEqual({ code: "key_not_found", message: "There is no key with this key_id." });
  });

  test("of validation is answered with exactly its fields, even with a field named __proto__", async () => {
    const fields: Record<string, string[]> = Object.create(null);
    Object.defineProperty(fields, "__proto__", { value: ["The __proto__ field is not known."], enumerable: true });
    const { body } = await answerOf(fail(new ValidationError(fields)));
    expect(body).toBe('{"__proto__":["The __proto__ field is not known."]}');
  });

  test.for<[string, unknown]>([
    ["an error", new Error("secret-7f3")],
    ["an error with a status", Object.assign(new Error("secret-7f3"), { statusCode: 418, expose: true })],
    ["a cause of unavailable", new ApiError("unavailable", { cause: new Error("secret-7f3") })],
    ["a frozen error", Object.freeze(new Error("secret-7f3"))],
    ["a text", "secret-7f3"],
  ])("never reveals what went wrong on our side, which only the log line says: %s", async ([, thrown]) => {
    const { statusCode, headers, body, log } = await answerOf(fail(thrown));
    expect(statusCode).toBeGreaterThanOrEqual(500);
    expect(JSON.parse(String(body))).toMatchObject({ code: expect.stringMatching(/^(internal_error|unavailable)$/) });
    expect(JSON.stringify([headers, body])).not.toMatch(/secret-7f3|at .*\.ts/);
    expect(log.lines()).toEqual([
      expect.objectContaining({
        level: "ERROR",
        request_id: "request-7",
        status: statusCode,
        cause: expect.stringContaining("secret-7f3"),
      }),
    ]);
  });

  test.for<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["zero", 0],
    ["a symbol", Symbol("s")],
    ["an object", { message: "m" }],
    ["an object without a prototype", Object.create(null)],
  ])("is answered, whatever was thrown: %s", async ([, thrown]) => {
    const { statusCode, body, log } = await answerOf(fail(thrown));
    expect(statusCode).toBe(500);
    expect(JSON.parse(String(body))).toMatchObject({ code: "internal_error" });
    expect(log.lines()).toMatchObject([{ level: "ERROR", cause: expect.any(String) }]);
  });

  test("that is a plain object is logged with its properties", async () => {
    const { log } = await answerOf(fail({ reason: "cause-7f3" }));
    expect(log.text()).toContain("cause-7f3");
  });
});

describe("a redirect", () => {
  test("has a relative Location, which no Host header can change, and no body", async () => {
    const { statusCode, headers, body, log } = await answerOf(fail(new Error("not reached")), { accept: "text/html" });
    expect(statusCode).toBe(302);
    expect(headers).toMatchObject({ Location: "/api/documentation" });
    expect(headers).not.toHaveProperty("Content-Type");
    expect(body ?? "").toBe("");
    expect(log.lines()).toEqual([expect.objectContaining({ level: "INFO", status: 302 })]);
  });
});
