import { describe, expect, test } from "vitest";
import { handlerErrors } from "../../../lambdas/declaration/errors.ts";
import { ApiError, ValidationError } from "../../../lambdas/errors/api-error.ts";

const taken = { key_id: ["The key_id has already been taken."] };
const errors = handlerErrors({ errors: ["key_not_found"], validationErrors: { taken } });

describe("a handler", () => {
  test("gets constructors for exactly the errors that it declares", () => {
    expect(Object.keys(errors.constructors)).toEqual(["key_not_found", "taken"]);
    expect(errors.constructors.key_not_found?.()).toMatchObject({ code: "key_not_found", status: 404 });
    expect(errors.constructors.taken?.()).toMatchObject({ status: 422, fields: taken });
  });

  test.each([
    ["a declared error", new ApiError("key_not_found")],
    ["a declared validation error", new ValidationError(taken)],
    ["an unavailable database", new ApiError("unavailable")],
  ])("may throw %s", (_, error) => {
    expect(errors.check(error)).toBe(error);
  });

  test.each([
    ["an error of the catalogue that it does not declare", new ApiError("token_not_found")],
    ["a validation error that it does not declare", new ValidationError({ key_id: ["No."] })],
    ["anything else", new TypeError("broken")],
  ])("that throws %s fails with an internal error, which keeps the cause for the log", (_, error) => {
    expect(errors.check(error)).toMatchObject({ code: "internal_error", status: 500, cause: error });
  });
});
