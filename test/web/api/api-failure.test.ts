import { expect, test } from "vitest";
import { ApiFailure, fieldError } from "../../../web/api/api-failure.ts";

test.each([
  [
    "rate_limit",
    "must be a whole number from 1 to 100000.",
    "Requests per minute must be a whole number from 1 to 100000.",
  ],
  ["ip", "must be one address, not a CIDR range.", "The IP address must be one address, not a CIDR range."],
  ["expires_at", "must be in the future.", "The expiry must be in the future."],
  ["key_id", "has already been taken.", "The key_id has already been taken."],
])("the service's message about %s names the field as the form does", (field, problem, message) => {
  const failure = new ApiFailure({ status: 422, fields: { [field]: [`The ${field} ${problem}`] } });
  expect(fieldError(failure, field)).toBe(message);
});

test("a field without objections has no message, and several messages are joined", () => {
  const failure = new ApiFailure({ status: 422, fields: { ip: ["The ip is wrong.", "The ip is long."] } });
  expect(fieldError(failure, "comment")).toBe("");
  expect(fieldError(null, "ip")).toBe("");
  expect(fieldError(failure, "ip")).toBe("The IP address is wrong. The IP address is long.");
});
