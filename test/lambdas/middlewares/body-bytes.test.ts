import { expect, test } from "vitest";
import { bodyBytes } from "../../../lambdas/middlewares/body-bytes.ts";
import { apiEvent } from "../../../tools/support/events.ts";

test("a body is its UTF-8, or what its base64 stands for, and nothing if there is none", () => {
  expect(bodyBytes(apiEvent({ body: "é" }), 2).toString("hex")).toBe("c3a9");
  expect(bodyBytes(apiEvent({ body: "w6k=", isBase64Encoded: true }), 2).toString("hex")).toBe("c3a9");
  expect(bodyBytes(apiEvent(), 0)).toHaveLength(0);
});

test("a body is counted in bytes, and refused if it has too many", () => {
  expect(() => bodyBytes(apiEvent({ body: "é" }), 1)).toThrow(expect.objectContaining({ code: "content_too_large" }));
});

test("a body that has been read already is a mistake in the chain", () => {
  expect(() => bodyBytes({ ...apiEvent(), body: { a: "1" } }, 10)).toThrow("The body has already been read.");
});
