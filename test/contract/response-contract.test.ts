import { expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { descriptionOf } from "../kit/contract/description.ts";
import { responseContract } from "../kit/contract/response-contract.ts";

const { assertDescribed } = responseContract(descriptionOf(api));

const time = "2026-11-21T10:15:30.123Z";
const key = { key_id: "1", v_code: "v".repeat(64), created_at: time, updated_at: time };
const response = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  headers: { "x-request-id": "x", "content-type": "application/json", ...headers },
  text: JSON.stringify(body),
});
const empty = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: { "x-request-id": "x", ...headers },
  text: "",
});
const error = { code: "endpoint_not_found", message: "There is none." };

test.each([
  ["a status that is not listed", "GET", "/api/v1/key", response(418, error), "the responses of v1-list-keys are 200"],
  ["a missing header", "POST", "/api/v1/key", response(201, key, { etag: '"x"' }), "the header Location is missing"],
  ["an undescribed header", "GET", "/api/v1/key/1", response(200, key, { link: "<>" }), "Link is not desc"],
  ["a malformed header", "GET", "/api/v1/token", response(503, error, { "retry-after": "soon" }), "Retry-After is"],
  ["a missing field", "GET", "/api/v1/key/1", response(200, { key_id: "1" }), "required property 'v_code'"],
  ["an additional field", "GET", "/api/v1/key/1", response(200, { ...key, secret: 1 }), "additional properties secret"],
  ["another JSON type", "GET", "/api/v1/key", response(200, [{ ...key, key_id: 1 }]), "/0/key_id must be string"],
  ["another format", "GET", "/api/v1/key/1", response(200, { ...key, created_at: "today" }), "/created_at must match"],
  ["a code that is not listed", "GET", "/api/v1/key/1", response(404, { ...error, code: "gone" }), "/code must be"],
  ["a body where none is described", "DELETE", "/api/v1/key/1", { ...empty(204), text: "gone" }, "there is a body"],
  ["another type", "GET", "/api/v1/key", response(200, [], { "content-type": "text/html" }), "is text/html, not app"],
  ["success for an unknown path", "GET", "/api/v1/nowhere", response(200, []), "the status should be 404"],
  ["success for an unknown method", "PATCH", "/api/v1/key", response(200, []), "the status should be 405"],
  ["another error for an unknown path", "GET", "/api/v1/nowhere", response(404, { message: "Not Found" }), "'code'"],
  ["a redirect elsewhere", "GET", "/api/v1/nowhere", empty(302, { location: "//evil.example" }), "//evil.example"],
])(
  "rejects a response that differs from the description, and states the difference: %s",
  (_, method, path, given, problem) => {
    expect(() => assertDescribed(method, path, given)).toThrow(problem);
  },
);
