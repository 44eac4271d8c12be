import { expect, test } from "vitest";
import { commentError } from "../../../../../web/pages/api-settings/dialogs/comment-error.ts";

test("a comment may have 255 characters of any kind, and the message says how many it has", () => {
  expect(commentError("")).toBe("");
  expect(commentError("😀".repeat(255))).toBe("");
  expect(commentError("c".repeat(300))).toBe("The comment must be at most 255 characters; it has 300.");
});
