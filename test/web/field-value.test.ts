import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { WholeValue } from "../../web/admin/parts/field-value.tsx";

test("shows everything in a nested value, with a time as the table shows times", () => {
  const value = { sku: "LAMP-7", fragile: false, checks: [{ at: "2026-11-21T10:15:30.123Z" }] };
  const text = renderToStaticMarkup(createElement(WholeValue, { value }));
  for (const part of ["sku", "LAMP-7", "fragile", "No", "checks"]) expect(text).toContain(part);
  expect(text).toMatch(/<time[^>]*2026-11-21T10:15:30\.123Z/);
});
