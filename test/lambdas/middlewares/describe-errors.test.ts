import { expect, test } from "vitest";
import { ApiError, Redirect, ValidationError } from "../../../lambdas/errors/api-error.ts";
import { describeErrors } from "../../../lambdas/functions/api-chain.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { middyRequest } from "../support/request.ts";

const described = (error: unknown): unknown => {
  const request = middyRequest(apiEvent(), { error });
  describeErrors().onError?.(request);
  return request.error;
};

test("an error of the catalogue keeps its status, its headers and its body", () => {
  const error = new ApiError("method_not_allowed", {
    values: { method: "PATCH", allow: "GET" },
    headers: { Allow: "GET" },
  });

  expect(described(error)).toEqual({
    statusCode: 405,
    message: '{"code":"method_not_allowed","message":"This endpoint does not support PATCH. It supports GET."}',
    headers: { Allow: "GET" },
    expose: true,
  });
});

test("a validation error has its messages as the whole body", () => {
  expect(described(new ValidationError({ v_code: ["The v_code field is required."] }))).toMatchObject({
    statusCode: 422,
    message: '{"v_code":["The v_code field is required."]}',
  });
});

test("a redirect has a Location and no body", () => {
  expect(described(new Redirect("/api/documentation"))).toEqual({
    statusCode: 302,
    message: "",
    headers: { Location: "/api/documentation" },
    expose: true,
  });
});

test.for([new Error("secret"), "secret", undefined])(
  "anything else is an internal error that reveals nothing: %o",
  (error) => {
    const { statusCode, message, headers } = described(error) as {
      statusCode: number;
      message: string;
      headers: object;
    };

    expect(statusCode).toBe(500);
    expect(JSON.parse(message)).toEqual({
      code: "internal_error",
      message: expect.stringMatching(/^Something went wrong/),
    });
    expect(headers).toEqual({});
  },
);
