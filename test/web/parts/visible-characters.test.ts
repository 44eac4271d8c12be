import fc from "fast-check";
import { expect, test } from "vitest";
import { hiddenCodes, partsOf, visibleText } from "../../../web/parts/visible-characters.ts";

test.each([
  ["a\u202eb", "a[U+202E]b"],
  ["\u200babc", "[U+200B]abc"],
  ["a\u0000\u009b", "a[U+0000][U+009B]"],
  ["tag\u{e0041}", "tag[U+E0041]"],
  ["a\u00a0b", "a[U+00A0]b"],
  [" a  b ", "[U+0020]a [U+0020]b[U+0020]"],
  ["Ärger mit 😀 und שלום", "Ärger mit 😀 und שלום"],
  ["", ""],
])("of %j one sees %s", (text, visible) => {
  expect(visibleText(text)).toBe(visible);
});

test("a text is the sum of its parts, and no part without a code has a character that cannot be seen", () => {
  const characters = fc.constantFrom(..."ab é😀", "\u202e", "\u200b", "\u2066", "\u0085", "\u{e0041}", "\u3164");
  fc.assert(
    fc.property(fc.string({ unit: characters }), (text) => {
      const parts = partsOf(text);
      expect(parts.map((part) => part.text).join("")).toBe(text);
      expect(new Set(parts.map(({ offset }) => offset)).size).toBe(parts.length);
      for (const { text, code } of parts) expect(text).toMatch(code === undefined ? /^[^\p{C}\p{DI}]+$/u : /^.$/u);
    }),
  );
});

test("each invisible character is named once", () => {
  expect(hiddenCodes("a\u200bb\u200b\u202e")).toEqual(["U+200B", "U+202E"]);
  expect(hiddenCodes("abc")).toEqual([]);
});
