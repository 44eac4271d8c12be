import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../lambdas/errors/catalogue.ts";
import { errorPage } from "../../tools/docs/write-error-page.ts";

const committed = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");

test("docs/errors.md is up to date with npm run docs", () => {
  expect(committed).toBe(errorPage());
});

test("docs/errors.md has each error of the catalogue with its status, when it happens and what to do", () => {
  const rows = committed.split("\n").filter((line) => /^\| \d/.test(line));
  const codes = Object.keys(errorCatalogue) as ErrorCode[];

  expect(rows.map((row) => row.split(" | ").slice(0, 2).join(" ")).toSorted()).toEqual(
    codes.map((code) => `| ${errorCatalogue[code].status} \`${code}\``).toSorted(),
  );
  for (const row of rows) expect(row).toMatch(/^\|( [^|]{3,} \|){4}$/);
});
