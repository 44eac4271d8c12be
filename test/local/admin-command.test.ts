import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeInvisible, eventOf, formatAnswer } from "../../local/admin-command.ts";

test.each([
  [["list", "limit=10"], { action: "list", limit: 10 }],
  [["update", "token_id=01J", "rate_limit=600"], { action: "update", token_id: "01J", rate_limit: 600 }],
  [["update", "token_id=01J", "rate_limit=null"], { action: "update", token_id: "01J", rate_limit: null }],
  [["update", "token_id=01J", "rate_limit=many"], { action: "update", token_id: "01J", rate_limit: "many" }],
  [["issue", "ip=127.0.0.1", "comment=7=null"], { action: "issue", ip: "127.0.0.1", comment: "7=null" }],
])("the command line %j becomes the event %j", (words, event) => {
  expect(eventOf(words)).toEqual(event);
});

test("an argument that is not a field is refused, with the correct syntax", () => {
  expect(() => eventOf(["issue", "127.0.0.1"])).toThrow("127.0.0.1 is not a field: write name=value");
});

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
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (answer) => {
      const shown = formatAnswer(answer);
      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(answer)));
      expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }),
  );
  expect(formatAnswer({ comment: "Ärger mit 😀 und שלום" })).toContain('"Ärger mit 😀 und שלום"');
});
