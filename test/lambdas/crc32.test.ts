import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "../../lambdas/crc32.ts";
import { anyText } from "../support/any-text.ts";

test("the checksum of bytes is the one that node:zlib computes, however many they are", () => {
  for (const length of [0, 1, 4_095, 4_096, 4_097, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256);
    expect(crc32(bytes), `${length} bytes`).toBe(zlibCrc32(bytes));
  }
});

test("the checksum of any text is the one that node:zlib computes", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(crc32(text)).toBe(zlibCrc32(text));
    }),
  );
});
