import { expect, test } from "vitest";
import { bodyBytes } from "../../../lambdas/middlewares/read-body.ts";
import { apiEvent } from "../../../tools/support/events.ts";

test("a body is its UTF-8 bytes or its decoded base64, and a missing body is empty", () => {
  expect(bodyBytes(apiEvent({ body: "é" }), 2).toString("hex")).toBe("c3a9");
  expect(bodyBytes(apiEvent({ body: "w6k=", isBase64Encoded: true }), 2).toString("hex")).toBe("c3a9");
  expect(bodyBytes(apiEvent(), 0)).toHaveLength(0);
});

test("the size of a body is counted in bytes, and too large a body is refused", () => {
  expect(() => bodyBytes(apiEvent({ body: "é" }), 1)).toThrow(expect.objectContaining({ code: "content_too_large" }));
});

test("reading a body twice is an error in the chain", () => {
  expect(() => bodyBytes({ ...apiEvent(), body: { a: "1" } }, 10)).toThrow("The body has already been read.");
});
