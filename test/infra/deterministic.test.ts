import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

const project = fileURLToPath(new URL("../..", import.meta.url));
const leftOut = new Set([".git", ".local", "cdk.out", "node_modules"]);

let elsewhere: string;
beforeAll(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), "another-machine-"));
  await cp(project, elsewhere, { recursive: true, filter: (path) => !leftOut.has(basename(path)) || path === project });
  await symlink(join(project, "node_modules"), join(elsewhere, "node_modules"));
});
afterAll(() => rm(elsewhere, { recursive: true }));

/** Everything that is deployed: the templates and the names of the assets, which contain hashes of their content. */
const deployedFrom = async (assembly: string): Promise<Record<string, unknown>> => {
  const names = await readdir(assembly);
  const templates = names.filter((name) => name.endsWith(".template.json"));
  const texts = await Promise.all(templates.map((name) => readFile(join(assembly, name), "utf8")));
  return {
    assets: names.filter((name) => name.startsWith("asset.")).toSorted(),
    templates: Object.fromEntries(templates.map((name, index) => [name, texts[index]])),
  };
};

test("another machine synthesises identical templates and assets, so cdk diff reports no change", async () => {
  const outdir = join(elsewhere, "cdk.out");
  const environment = {
    PATH: process.env.PATH,
    HOME: elsewhere,
    TZ: "Pacific/Auckland",
    LANG: "tr_TR.UTF-8",
    CDK_OUTDIR: outdir,
    CDK_VALIDATION: "false",
    CDK_CONTEXT_JSON: JSON.stringify({
      "aws:cdk:enable-asset-metadata": true,
      "aws:cdk:enable-path-metadata": true,
    }),
  };
  await promisify(execFile)(process.execPath, ["infra/app.ts"], { cwd: elsewhere, env: environment });

  expect(await deployedFrom(outdir)).toEqual(await deployedFrom(inject("assemblyDirectory")));
});
