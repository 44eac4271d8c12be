import fc from "fast-check";

/** The range of surrogates, which are not characters. */
const surrogates = { from: 0xd800, count: 0x800 };

/** fast-check's own unit for this, `binary`, builds a table of all characters, which takes as long as many tests. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (place) => String.fromCodePoint(place < surrogates.from ? place : place + surrogates.count),
  (text) => {
    const [code = Number.NaN, ...others] = [...String(text)].map((character) => character.codePointAt(0));
    if (others.length > 0 || Number.isNaN(code)) throw new Error("This is not one character.");
    return code < surrogates.from ? code : code - surrogates.count;
  },
);

/** Generates texts of any Unicode characters. */
export const anyText = (constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter });
