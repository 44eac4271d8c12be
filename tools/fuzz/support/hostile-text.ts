import fc from "fast-check";
import { secretMark } from "./case.ts";

/** Texts that have broken programs before. */
const notorious = [
  "",
  " ",
  "__proto__",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "then",
  "length",
  "null",
  "undefined",
  "NaN",
  "0",
  "-1",
  "1e400",
  ".",
  "..",
  "../../etc/passwd",
  "//evil.example",
  "a/b",
  "a\\b",
  "\0",
  "\r\nSet-Cookie: a=b",
  "%0d%0aSet-Cookie:%20a=b",
  "\u0085\u2028\u2029",
  "\uFEFF",
  "\u202E",
  "\uD800",
  "\uDC00\uD800",
  "😀".repeat(64),
  "e\u0301".repeat(32),
  "\u0130\u017F\u212A",
  "%",
  "%%",
  "%zz",
  "%u0041",
  "%C0%AF",
  "%E0%80%AF",
  "%ED%A0%80",
  "%F8%88%80%80%80",
  "%FF",
  "%00",
  "%2e%2e%2f",
  "%3F",
  "+",
  "&",
  "=",
  ";",
  "?",
  "#",
  '"',
  "'",
  "' OR '1'='1",
  "$(id)",
  `${"$"}{jndi:ldap://x}`,
  "{{7*7}}",
  "{allow}",
  "<script>alert(1)</script>",
  "[object Object]",
  '{"S":"x"}',
  ":now",
  "#name",
  "attribute_exists(a)",
  "itk_",
  "iti_",
];

/** A repeated text. Long ones are rare, because they are slow to generate. */
const repeated = fc
  .tuple(
    fc.constantFrom("a", "%41", "\0", "😀", "%", "[", "{", ",", ";", '"', "a=", "&a=1", "a[b]", "../", "\r\n", "é"),
    fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 1, max: 300 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 20_000 }) },
    ),
  )
  .map(([text, times]) => text.repeat(times));

/** Any code point except a surrogate. Preparing fast-check's own unit for this takes most of a second in each process. */
const anyCodePoint = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  .map((place) => String.fromCodePoint(place < 0xd8_00 ? place : place + 0x8_00));
const anyUnit = fc.string({ unit: anyCodePoint, maxLength: 80 });
const loneSurrogates = fc
  .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

/** Any text, with the notorious ones more often. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...notorious) },
  { weight: 3, arbitrary: anyUnit },
  { weight: 2, arbitrary: fc.string({ maxLength: 80 }) },
  { weight: 1, arbitrary: loneSurrogates },
  { weight: 1, arbitrary: repeated },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...notorious), fc.string({ maxLength: 10 })).map((parts) => parts.join("")),
  },
);

/** A text with about the 64 code points that a v_code must have. The log must never show it. */
export const secretText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...notorious, "v", "ü", "x"), fc.constantFrom("v", "😀", "é", "\u0301", " "))
  .chain(([start, filler]) =>
    fc.constantFrom(64, 64, 64, 64, 63, 65, 0, 255).map((length) => {
      const points = [...(secretMark + start), ...Array.from({ length }, () => filler)];
      return points.slice(0, length).join("");
    }),
  );
