import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "../../../../lambdas/resources/tokens/crc32.ts";

test("the checksum of any text is the one that node:zlib computes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(crc32(text)).toBe(zlibCrc32(text));
    }),
  );
});
