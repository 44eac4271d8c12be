import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeInvisible, formatAnswer, quote, shellWord } from "../../../local/admin/printable.ts";
import { anyCharacter } from "../../support/any-text.ts";

const dangerous = [
  ...["\u0000", "\u001b", "\u007f", "\u0080", "\u009b", "\u009f", "\u00a0", "\u00ad", "\u061c", "\u115f", "\u180e"],
  ...["\u200b", "\u200d", "\u200e", "\u2028", "\u202e", "\u2060", "\u2066", "\u2069", "\u2800", "\u3000", "\u3164"],
  ...["\ufe0f", "\ufeff", "\u{e0041}", "\u{1d173}"],
];

test.each(dangerous)("a terminal gets no raw %j, and the answer is still the same JSON", (character) => {
  const answer = { key_id: `a${character}b`, v_code: character.repeat(64) };
  const shown = formatAnswer(answer);

  expect(shown).not.toContain(character);
  expect(JSON.parse(shown)).toEqual(answer);
  expect(escapeInvisible(`refused: ${character}`)).toBe(
    `refused: ${[...Array(character.length).keys()].map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`).join("")}`,
  );
});

test("any answer is shown as the same JSON, without control characters and with its visible characters as they are", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (answer) => {
      const shown = formatAnswer(answer);
      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(answer)));
      expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }),
  );
  expect(formatAnswer({ comment: "Ärger mit 😀 und שלום" })).toContain('"Ärger mit 😀 und שלום"');
});

test("a message repeats what was typed in quotes, on one line", () => {
  expect(quote('a"b\n\u001b[2J\u202e')).toBe(String.raw`"a\"b\n\u001b[2J\u202e"`);
});

test.each(["198.51.100.7", "billing sync", "it's", '$HOME `id` \\ "x" *', ""])(
  "a shell takes %j as one word",
  (text) => {
    expect(spawnSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" }).stdout).toBe(text);
  },
);
