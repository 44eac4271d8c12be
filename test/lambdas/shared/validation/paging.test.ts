import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../../lambdas/admin/actions.ts";
import { cursor, decodeCursor, encodeCursor, limit } from "../../../../lambdas/shared/validation/paging.ts";
import { validate } from "../../../../lambdas/shared/validation/validate.ts";
import { keys } from "../../../../lambdas/v1/keys.ts";
import { anyText } from "../../../kit/support/any-text.ts";

const id = anyText({ minLength: 1, maxLength: 255 });

test("decodes a cursor to the id that it was made from, without needing URL escaping", () => {
  fc.assert(
    fc.property(fc.oneof(id, fc.constant("a".repeat(2_048))), (id) => {
      expect(decodeCursor(encodeCursor(id))).toBe(id);
      expect(encodeCursor(id)).toMatch(/^[\w-]+$/);
    }),
  );
});

test("a modified cursor is rejected, or is the valid cursor of another id", () => {
  const tampered = fc.tuple(id, fc.nat(), fc.string({ maxLength: 2 })).map(([id, place, inserted]) => {
    const text = encodeCursor(id);
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(tampered, anyText(), fc.base64String()), (text) => {
      const decoded = decodeCursor(text);
      if (decoded !== undefined) expect(encodeCursor(decoded)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

test.for([
  ["empty", ""],
  ["padded", "YQ=="],
  ["with spare bits set", "YR"],
  ["in the other base64 alphabet", Buffer.from("\u{10FFFF}?>").toString("base64")],
  ["not UTF-8", Buffer.from([0xff, 0xfe]).toString("base64url")],
  ["longer than the keys of an item can be", encodeCursor("a".repeat(8_193))],
] as const)("rejects a cursor that is %s", ([, text]) => {
  expect(decodeCursor(text)).toBeUndefined();
});

const page = z.object({ limit: limit({ max: 1000 }), cursor: cursor((id) => id !== "impossible") });
const problems = {
  limit: ["The limit must be a whole number from 1 to 1000."],
  cursor: ["The cursor is not one that this service returned. Start again without it."],
};

test("accepts a page without fields, any limit in range, and any id's cursor", () => {
  expect(validate(page, {})).toEqual({ valid: true, value: {} });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), id, (limit, id) => {
      const result = validate(page, { limit: String(limit), cursor: encodeCursor(id) });
      expect(result).toEqual({ valid: true, value: { limit, cursor: id } });
    }),
  );
});

test("reports an invalid limit and an invalid cursor together", () => {
  for (const cursor of ["!", encodeCursor("impossible")])
    expect(validate(page, { limit: "0", cursor })).toEqual({ valid: false, fields: problems });
  for (const limit of ["", "-1", "1001", "1.5", "1e2", "0x10", " 5", "5 ", "1,2", "٣", "ten", "9".repeat(400)])
    expect(validate(page, { limit }), limit).toEqual({ valid: false, fields: { limit: problems.limit } });
});

const inputs = [
  ...Object.entries(actions).map(([name, { input }]) => ({ name: `the action ${name}`, input })),
  ...Object.entries(keys.endpoints).map(([name, { query }]) => ({ name: `the endpoint ${name}`, input: query })),
].flatMap(({ name, input }) => (input && "cursor" in input._zod.def.shape ? [{ name, input }] : []));

test.for(inputs)("$name rejects the cursor of an item that cannot exist", ({ input }) => {
  for (const id of ["\0\0\0", "a\n", "\u0085", "a?", ".", "a".repeat(256), "\u{1F600}".repeat(256)]) {
    const result = validate(input, { cursor: encodeCursor(id) });
    expect(result.valid ? {} : result.fields, JSON.stringify(id)).toHaveProperty("cursor");
  }
});
