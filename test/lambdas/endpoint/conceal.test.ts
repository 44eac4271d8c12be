import { inspect } from "node:util";
import { expect, test } from "vitest";
import { concealing } from "../../../lambdas/endpoint/conceal.ts";

const secret = 'first "part" & \\ more/+=ü😀\r\nsecond-part';
const asHtml = (text: string) => text.replace(/[^a-z\d]/giu, (character) => `&#${character.codePointAt(0)};`);
const asAscii = (text: string) =>
  text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
const base64 = (text: string) => Buffer.from(text).toString("base64");

const encodings: Record<string, (text: string) => string> = {
  itself: (text) => text,
  JSON: JSON.stringify,
  "JSON in JSON in JSON": (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
  "JSON in ASCII": (text) => asAscii(JSON.stringify(text)),
  inspect: (text) => inspect({ text }),
  "a URL": encodeURIComponent,
  "a URL in small letters": (text) => encodeURIComponent(text).toLowerCase(),
  "a URL in a URL": (text) => encodeURIComponent(encodeURIComponent(text)),
  "a form": (text) => new URLSearchParams({ text }).toString(),
  HTML: asHtml,
  hexadecimal: (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "base64 after three letters": (text) => base64(`abc${text}`),
  "base64 after one letter": (text) => base64(`a${text} etc.`),
  "base64 after two letters, in JSON": (text) => JSON.stringify(base64(`ab${text} etc.`)),
  "base64 in a URL": (text) => encodeURIComponent(base64(`a${text}`)),
  base64url: (text) => Buffer.from(text).toString("base64url"),
};

test.each(Object.entries(encodings))("hides a secret in %s", (_, encode) => {
  const [before, after] = ["before ", " after"];
  const shown = concealing(["second", secret, "7"])(before + encode(secret) + after);
  expect(shown).toMatch(/^before .{0,12}\*\*\*.{0,12} after$/s);
  expect(shown).not.toMatch(/first|second|part|more(?!")/);
});

test("hides each line of a secret but no short one, and nothing without secrets", () => {
  expect(concealing(["{\nfirst-line\n}", ""])("{ first-line }")).toBe("{ *** }");
  expect(concealing([])("{ first-line }")).toBe("{ first-line }");
});

test("takes no longer for a text that almost has a secret", () => {
  const text = `a${"\\".repeat(100_000)}${"%25".repeat(100_000)}`;
  expect(concealing(['a\\\\"" ""\\z', "\\%z"])(text)).toBe(text);
});
