import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { requirePrograms } from "../support/programs.ts";
import { everyOption, synthesiseWith } from "../support/stages.ts";

// W3005: the CDK declares that a function depends on its role, which also follows from its properties.
const ignoredChecks = ["W3005"];

describe("cfn-lint has no complaint about the templates", { timeout: 120_000 }, () => {
  test.for<[string, () => string | Promise<string>]>([
    ["of production", () => inject("assemblyDirectory")],
    ["with every option", () => synthesiseWith(everyOption)],
  ])("%s", async ([, assemblyOf], context) => {
    requirePrograms(context, "cfn-lint");
    const assembly = await assemblyOf();
    const templates = (await readdir(assembly)).filter((file) => file.endsWith(".template.json"));
    const words = [...templates.map((file) => join(assembly, file)), "--ignore-checks", ...ignoredChecks];
    const { stdout, stderr } = spawnSync("cfn-lint", words, { encoding: "utf8" });

    expect(stdout + stderr).toBe("");
  });
});
