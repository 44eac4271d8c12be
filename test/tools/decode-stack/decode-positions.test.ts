import { readFile } from "node:fs/promises";
import { beforeAll, expect, inject, test } from "vitest";
import { sourceMapFile } from "../../../infra/build/bundles/assembly-files.ts";
import type { Bundle } from "../../../infra/build/bundles/lazy-functions.ts";
import { decodePositions } from "../../../tools/decode-stack/decode-positions.ts";
import { bundlesOf } from "../../support/bundles.ts";

let bundle: Bundle;
let position: string;
beforeAll(async () => {
  const { "v1-get-key": file = "" } = await bundlesOf();
  bundle = {
    code: await readFile(file),
    sourceMap: await readFile(sourceMapFile(inject("assemblyDirectory"), "v1-get-key")),
  };
  const lines = (await readFile(file, "utf8")).split("\n");
  const line = lines.findIndex((text) => text.includes("Something went wrong on our side"));
  position = `${line + 1}:${(lines[line]?.indexOf("Something went wrong on our side") ?? 0) + 1}`;
});

test.each([
  "/var/task/index.js",
  "/home/me/.local/cdk.out/asset.0123/index.js",
  "file:///var/task/index.js",
  "index.js",
])("a position is decoded whatever the folder of the bundle: %s", (file) => {
  const { text, positions, unknown } = decodePositions(`at x (${file}:${position})`, bundle);

  expect(text).toMatch(/^at x \(\S*lambdas\/errors\/catalogue\.ts:\d+:\d+\)$/);
  expect([positions, unknown]).toEqual([1, 0]);
});

test.each([
  ["after the last line", "99999:1"],
  ["after the end of its line", "2:99999999"],
])("a position that does not exist is left unchanged and counted: %s", (_, wrong) => {
  const { text, positions, unknown } = decodePositions(`at index.js:${wrong} and index.js:${position}`, bundle);

  expect(text).toMatch(new RegExp(`^at index\\.js:${wrong} \\(not in this bundle\\) and \\S+catalogue\\.ts:`));
  expect([positions, unknown]).toEqual([2, 1]);
});
