import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { everyOption, synthesiseWith } from "../support/stages.ts";

// W3005: the CDK writes down that a function waits for its role, which follows from its properties too.
const explained = ["W3005"];

const lint = (words: string[]) => spawnSync("cfn-lint", words, { encoding: "utf8" });
const isInstalled = lint(["--version"]).status === 0;

describe.skipIf(!isInstalled)("cfn-lint finds nothing to complain about", { timeout: 120_000 }, () => {
  let withEverything: string;
  beforeAll(async () => {
    withEverything = await synthesiseWith(everyOption);
  });

  test.each([
    ["in production", () => inject("assemblyDirectory")],
    ["with every option", () => withEverything],
  ])("%s", async (_, assemblyDirectory) => {
    const files = (await readdir(assemblyDirectory())).filter((file) => file.endsWith(".template.json"));
    const { stdout } = lint([
      ...files.map((file) => join(assemblyDirectory(), file)),
      ...["--ignore-checks", ...explained],
    ]);

    expect(stdout).toBe("");
  });
});
