import { expect, test } from "vitest";
import { generateVCode } from "../../../../web/pages/keys/v-code.ts";

test("a generated v_code is 64 letters and digits, and no two are the same", () => {
  const codes = Array.from({ length: 100 }, generateVCode);

  for (const code of codes) expect(code).toMatch(/^[A-Za-z0-9]{64}$/);
  expect(new Set(codes).size).toBe(codes.length);
});
