import { expect, test } from "vitest";
import { handlerErrors } from "../../../../lambdas/declaration/errors.ts";
import { ApiError, otherError, ValidationError } from "../../../../lambdas/shared/errors/api-error.ts";
import { errorCatalogue, otherErrors } from "../../../../lambdas/shared/errors/catalogue.ts";

test("every error has a snake_case code, an HTTP status and complete sentences", () => {
  for (const [code, { status, message }] of Object.entries({ ...errorCatalogue, ...otherErrors })) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(Math.floor(status / 100), code).toBeOneOf([3, 4, 5]);
    // The messages of a validation error are sentences themselves.
    if (code !== "validation_failed") expect(message).toMatch(/^[A-Z](?!.*\s\s).*\.$/);
  }
});

test("an API error fills its placeholders, but not those inside values", () => {
  const error = otherError("method_not_allowed", { values: { method: "{allow}", allow: "$& {method}" } });
  expect(error.message).toBe("This endpoint does not support {allow}. It supports $& {method}.");
});

const taken = { key_id: ["The key_id has already been taken."] };
const declared = handlerErrors({ errors: ["key_not_found"], validationErrors: { taken } });

test("gives a handler constructors for exactly its declared errors", () => {
  expect(Object.keys(declared.constructors)).toEqual(["key_not_found", "taken"]);
  expect(declared.constructors.key_not_found?.()).toMatchObject({ code: "key_not_found", status: 404 });
  expect(declared.constructors.taken?.()).toMatchObject({ status: 422, fields: taken });
});

test("allows a handler to throw its declared errors and unavailable", () => {
  for (const error of [new ApiError("key_not_found"), new ValidationError(taken), new ApiError("unavailable")]) {
    expect(declared.check(error)).toBe(error);
  }
});
