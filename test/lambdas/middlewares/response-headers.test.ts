import { expect, test } from "vitest";
import { responseHeaders } from "../../../lambdas/functions/api-chain.ts";
import type { ApiEvent, ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { middyRequest } from "../support/request.ts";

const ofEveryResponse = {
  "Cache-Control": "no-cache",
  Connection: "close",
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
  "X-Request-Id": "request-1",
};

type Hook = "after" | "onError";

const headersOf = (
  hook: Hook,
  response: ApiResponse,
  { more = {}, event = apiEvent() }: { more?: Record<string, string>; event?: ApiEvent } = {},
) => {
  const request = middyRequest(event, { response });
  responseHeaders({ more })[hook]?.(request);
  return request.response?.headers;
};

test.for<Hook>(["after", "onError"])("every response has them: %s", (hook) => {
  expect(headersOf(hook, { statusCode: 200 })).toEqual(ofEveryResponse);
});

test("they are the same without options", () => {
  const request = middyRequest(apiEvent(), { response: { statusCode: 200 } });
  responseHeaders().after?.(request);
  expect(request.response?.headers).toEqual(ofEveryResponse);
});

test("a version and the event can add headers", () => {
  const event = { ...apiEvent(), answerHeaders: { RateLimit: '"token";r=1;t=1' } };
  expect(headersOf("after", { statusCode: 200 }, { more: { Sunset: "soon" }, event })).toEqual({
    ...ofEveryResponse,
    Sunset: "soon",
    RateLimit: '"token";r=1;t=1',
  });
});

test("a response keeps its own headers, but not its own request id", () => {
  const headers = { "Cache-Control": "no-store", Location: "/", "X-Request-Id": "forged" };
  expect(headersOf("after", { statusCode: 200, headers })).toEqual({
    ...ofEveryResponse,
    "Cache-Control": "no-store",
    Location: "/",
  });
});

test("a request without a response is ignored", () => {
  const request = middyRequest(apiEvent());
  responseHeaders().onError?.(request);
  expect(request.response).toBeNull();
});
