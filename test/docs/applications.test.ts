import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentBlocks } from "../../tools/support/documents.ts";
import { nameOf } from "./pasted-blocks.ts";

test("the chapter about applications shows code of the example, as it is there", () => {
  const sources = globSync("examples/shipments/{*,*/**/*}.ts");
  const code = sources.map((file) => readFileSync(file, "utf8")).join("\n");
  const shown = documentBlocks().filter(
    ({ document, language }) => document === "docs/applications.md" && language === "ts",
  );

  expect(shown.length).toBeGreaterThan(5);
  expect(shown.filter(({ text }) => !code.includes(text)).map(nameOf)).toEqual([]);
});
