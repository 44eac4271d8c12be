import { describe, expect, test } from "vitest";
import { ApiError, Redirect } from "../../../lambdas/errors/api-error.ts";
import { logRequest } from "../../../lambdas/middlewares/log-request.ts";
import type { ApiEvent } from "../../../lambdas/middlewares/request.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { newToken } from "../../../tools/support/tokens.ts";
import { author } from "../../support/authors.ts";
import { captureLog } from "../support/captured-log.ts";
import { middyRequest } from "../support/request.ts";

const { record } = newToken();
const event = (): ApiEvent => ({
  ...apiEvent({
    headers: { accept: "application/json", "x-token": "hush" },
    rawQueryString: "a=hush",
    body: "hush",
    requestId: "request-7",
    routeKey: "POST /api/v1/key",
  }),
  caller: { token: record, ip: record.ip, author },
});

const about = {
  message: "request",
  request_id: "request-7",
  route: "POST /api/v1/key",
  source_ip: "198.51.100.7",
  token_id: record.token_id,
};

/** The line that a new environment logs for a request. */
const lineOf = (outcome: Parameters<typeof middyRequest>[1], of: ApiEvent = event()): unknown => {
  const log = captureLog();
  const middleware = logRequest();
  const request = middyRequest(of, outcome);
  if (outcome && "error" in outcome) middleware.onError?.(request);
  else middleware.after?.(request);
  expect(log.text()).not.toContain("hush");
  const [line, ...others] = log.lines();
  expect(others).toEqual([]);
  return line;
};

test("a success is one line that says who called what, without headers, query or body", () => {
  expect(lineOf({ response: { statusCode: 201, body: "hush" } })).toEqual({
    level: "INFO",
    ...about,
    status: 201,
    cold_start: true,
  });
});

test("a request without a response is logged without a status", () => {
  expect(lineOf({})).toEqual({ level: "INFO", ...about, cold_start: true });
});

test("the line of an admin's request names the admin and no token", () => {
  const { caller: _, ...others } = event();

  expect(lineOf({ response: { statusCode: 200 } }, { ...others, actor: "alice@example.com" })).toEqual({
    level: "INFO",
    message: "request",
    request_id: "request-7",
    route: "POST /api/v1/key",
    source_ip: "198.51.100.7",
    actor: "alice@example.com",
    status: 200,
    cold_start: true,
  });
});

describe("a failure is logged with", () => {
  test.for<[string, unknown, object]>([
    ["its status, for a redirect", new Redirect("/api/documentation"), { level: "INFO", status: 302 }],
    [
      "its code and its facts, for an error of the catalogue",
      new ApiError("token_expired", { facts: { fact: "known" } }),
      { level: "INFO", status: 401, code: "token_expired", fact: "known" },
    ],
    [
      "a warning, for a correct secret from a wrong address",
      new ApiError("ip_not_allowed", { facts: { leak_signal: "right secret, wrong address" } }),
      { level: "WARN", status: 403, code: "ip_not_allowed", leak_signal: "right secret, wrong address" },
    ],
    [
      "its code, its facts and its cause, for a 5xx",
      new ApiError("unavailable", { facts: { fact: "known" }, cause: new Error("no database") }),
      {
        level: "ERROR",
        status: 503,
        code: "unavailable",
        fact: "known",
        cause: expect.stringContaining("Error: no database"),
      },
    ],
    [
      "its code and its cause, for an internal error",
      new ApiError("internal_error", { cause: new Error("undeclared") }),
      {
        level: "ERROR",
        status: 500,
        code: "internal_error",
        cause: expect.stringContaining("Error: undeclared"),
      },
    ],
    [
      "its cause, for anything unexpected",
      new TypeError("broken"),
      { level: "ERROR", status: 500, cause: expect.stringContaining("TypeError: broken") },
    ],
    ["its value, if it is not an error", "a text", { level: "ERROR", status: 500, cause: "'a text'" }],
  ])("%s", ([, error, outcome]) => {
    expect(lineOf({ error })).toEqual({ ...about, ...outcome, cold_start: true });
  });
});

test("only the first request of an environment is a cold start, whatever its outcome", () => {
  for (const isFailure of [false, true]) {
    const log = captureLog();
    const { after, onError } = logRequest();
    if (isFailure) onError?.(middyRequest(event(), { error: new ApiError("unavailable") }));
    else after?.(middyRequest(event(), { response: { statusCode: 200 } }));
    after?.(middyRequest(event(), { response: { statusCode: 200 } }));
    onError?.(middyRequest(event(), { error: new ApiError("unavailable") }));

    const coldStarts = log.lines().map((line) => Object(line).cold_start);
    expect(coldStarts).toEqual([true, undefined, undefined]);
  }
});
