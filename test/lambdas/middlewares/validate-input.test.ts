import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ValidationError } from "../../../lambdas/errors/api-error.ts";
import type { ApiEvent } from "../../../lambdas/middlewares/request.ts";
import { validateInput } from "../../../lambdas/middlewares/validate-input.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { apiErrorOf } from "../support/rejection.ts";
import { runBefore } from "../support/run-before.ts";

const short = (name: string) => z.object({ [name]: z.string().check(z.maxLength(3, "is too long.")) });
const parameters = short("id");
const query = short("page");
const form = short("text");

type Options = Parameters<typeof validateInput>[0];

const read = async (options: Options, event: Partial<ApiEvent>) =>
  (await runBefore(validateInput(options), { ...apiEvent(), ...event })).input;

const errorOf = (options: Options, event: Partial<ApiEvent>) =>
  apiErrorOf(runBefore(validateInput(options), { ...apiEvent(), ...event }));

const valid = { pathParameters: { id: "1" }, queryStringParameters: { page: "2" }, body: { text: "3" } };
const invalid = { pathParameters: { id: "long" }, queryStringParameters: { page: "long" }, body: { text: "long" } };

test("an endpoint gets only what its schemas return for the path, the query and the form", async () => {
  const event = { ...valid, queryStringParameters: { page: "2", other: "x" } };

  expect(await read({ parameters, query, form }, event)).toEqual({
    parameters: { id: "1" },
    query: { page: "2" },
    form: { text: "3" },
  });
});

test("parts that an endpoint does not declare are not read", async () => {
  expect(await read({}, invalid)).toEqual({ parameters: undefined, query: undefined, form: undefined });
});

test("an endpoint with a 404 but without parameters gets its requests", async () => {
  expect(await read({ query, errors: ["key_not_found"] }, valid)).toMatchObject({ query: { page: "2" } });
});

test("a part that the request does not have is validated as if it had no fields", async () => {
  const { body: _, pathParameters: __, ...others } = valid;

  expect((await errorOf({ parameters, query, form }, others)).toJSON()).toEqual({
    id: ["The id field is required."],
    text: ["The text field is required."],
  });
});

test("an endpoint that declares precondition_failed gets the tags of If-Match; others do not", async () => {
  const event = apiEvent({ headers: { "if-match": '"a", "b"' } });

  expect(await read({ errors: ["precondition_failed"] }, event)).toMatchObject({ ifMatch: ["a", "b"] });
  expect(await read({}, event)).toMatchObject({ ifMatch: undefined });
});

test("a request whose path is not the one that was sent is refused before it is read", async () => {
  const event = { ...invalid, headers: { "x-sent-path": "/api/v1/another" } };

  expect(await errorOf({ parameters, query, form }, event)).toMatchObject({ code: "path_changed", status: 400 });
});

describe("invalid input", () => {
  test("results in a validation error with every invalid field of every part", async () => {
    const error = await errorOf({ parameters, query, form }, invalid);

    expect(error).toBeInstanceOf(ValidationError);
    expect(error.toJSON()).toEqual({
      id: ["The id is too long."],
      page: ["The page is too long."],
      text: ["The text is too long."],
    });
  });

  test.for(["pathParameters", "queryStringParameters", "body"] as const)(
    "of one part is reported alone: %s",
    async (part) => {
      const error = await errorOf({ parameters, query, form }, { ...valid, [part]: invalid[part] });

      expect(Object.keys(Object(error.toJSON()))).toHaveLength(1);
    },
  );

  test("in the path results in the endpoint's 404, before anything else is reported", async () => {
    const error = await errorOf({ parameters, query, form, errors: ["precondition_failed", "key_not_found"] }, invalid);

    expect(error).toMatchObject({ code: "key_not_found", status: 404 });
  });

  test("outside the path results in a validation error even if the endpoint has a 404", async () => {
    const error = await errorOf(
      { parameters, query, form, errors: ["key_not_found"] },
      { ...invalid, pathParameters: { id: "1" } },
    );

    expect(error.code).toBe("validation_failed");
  });
});
