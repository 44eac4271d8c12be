import { expect, test } from "vitest";
import { readableLog } from "../../../tools/decode-stack/readable-log.ts";

test("a line of JSON is printed on several lines, and so are the texts in it", () => {
  expect(readableLog('[admin] {"level":"ERROR","cause":"Error: x\\n    at y"}')).toBe(
    '[admin] {\n  "level": "ERROR",\n  "cause": "Error: x\n    at y"\n}',
  );
});

test("a backslash before an n is not a line break", () => {
  expect(readableLog('{"path":"C:\\\\new"}')).toBe('{\n  "path": "C:\\\\new"\n}');
});

test("other lines are unchanged", () => {
  expect(readableLog("Error: {x}\n    at y\n")).toBe("Error: {x}\n    at y\n");
});
