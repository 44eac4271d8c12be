import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeInvisible, formatResponse, quote, shellWord } from "../../../local/admin/printable.ts";
import { anyCharacter } from "../../kit/support/any-text.ts";

test.each(["\u001b", "\u009b", "\u202e", "\u{e0041}"])("a terminal never receives a raw %j", (character) => {
  const units = Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit));
  const escaped = units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  expect(escapeInvisible(`refused: ${character}`)).toBe(`refused: ${escaped}`);
});

test("prints any response as equivalent JSON, with invisible characters escaped and visible ones unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (response) => {
      const shown = formatResponse(response);
      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(response)));
      expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{DI}]/u);
    }),
  );
  expect(formatResponse({ comment: "Ärger mit 😀 und שלום" })).toContain('"Ärger mit 😀 und שלום"');
});

test("a message quotes the entered text on one line", () => {
  expect(quote('a"b\n\u001b[2J\u202e')).toBe(String.raw`"a\"b\n\u001b[2J\u202e"`);
});

test.each(["198.51.100.7", "billing sync", "it's", '$HOME `id` \\ "x" *', ""])(
  "a shell reads %j as one word",
  (text) => {
    expect(spawnSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" }).stdout).toBe(text);
  },
);
