import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { compileCache } from "../support/compile-cache.ts";

const programs = Object.values(manifest.scripts)
  .flatMap((script) => /^node (\S+)/.exec(script)?.[1] ?? [])
  .concat("local/admin.mjs", "tools/lint-commands.ts", "tools/lint-templates.ts");

test.for([...new Set(programs)])("%s --help only shows the usage", async (program) => {
  const env = { ...process.env, ...compileCache };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, "--help"], { env });
  expect(stdout).toMatch(/^Usage: /);
  expect(stderr).toBe("");
});
