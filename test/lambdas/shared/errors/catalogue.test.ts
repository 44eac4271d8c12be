import { expect, test } from "vitest";
import { handlerErrors } from "../../../../lambdas/declaration/errors.ts";
import { ApiError, ValidationError } from "../../../../lambdas/shared/errors/api-error.ts";
import { errorCatalogue } from "../../../../lambdas/shared/errors/catalogue.ts";

const errors = Object.entries(errorCatalogue).map(([code, { status, message }]) => ({ code, status, message }));

test.for(errors)(
  "the error $code has a snake_case code, an HTTP status and complete sentences",
  ({ code, status, message }) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(Math.floor(status / 100)).toBeOneOf([3, 4, 5]);
    // A validation error's messages are sentences themselves. validate.test.ts tests them.
    if (message === "{problems}") return;
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(message).not.toMatch(/\s{2}|\s$/);
  },
);

test("an API error fills its placeholders, but not placeholders inside values", () => {
  const error = new ApiError("method_not_allowed", { values: { method: "{allow}", allow: "$& {method}" } });
  expect(error.message).toBe("This endpoint does not support {allow}. It supports $& {method}.");
});

const taken = { key_id: ["The key_id has already been taken."] };
const declared = handlerErrors({ errors: ["key_not_found"], validationErrors: { taken } });

test("a handler gets constructors for exactly its declared errors", () => {
  expect(Object.keys(declared.constructors)).toEqual(["key_not_found", "taken"]);
  expect(declared.constructors.key_not_found?.()).toMatchObject({ code: "key_not_found", status: 404 });
  expect(declared.constructors.taken?.()).toMatchObject({ status: 422, fields: taken });
});

test("a handler may throw those, and that the database is unavailable", () => {
  for (const error of [new ApiError("key_not_found"), new ValidationError(taken), new ApiError("unavailable")]) {
    expect(declared.check(error)).toBe(error);
  }
});
