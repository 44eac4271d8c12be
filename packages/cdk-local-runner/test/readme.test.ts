import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { schemas } from "../src/database/engine/parameters.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

test("the README lists the supported DynamoDB operations", () => {
  for (const operation of Object.keys(schemas)) expect(readme).toContain(`\`${operation}\``);
});
