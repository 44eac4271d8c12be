import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod/mini";

const project = new URL("../../", import.meta.url);
const readJson = async (name: string): Promise<unknown> => JSON.parse(await readFile(new URL(name, project), "utf8"));

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.optional(z.string()),
      integrity: z.optional(z.string()),
      link: z.optional(z.boolean()),
      inBundle: z.optional(z.boolean()),
    }),
  ),
});

test("the lock file names no registry host and contains each package's hash", async () => {
  const { packages } = lockFile.parse(await readJson("package-lock.json"));
  const withHost = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes("://"));
  expect(withHost).toEqual([]);
  const withoutHash = Object.entries(packages).filter(
    ([path, { integrity, link, inBundle }]) => path.includes("node_modules/") && !link && !inBundle && !integrity,
  );
  expect(withoutHash).toEqual([]);
});

test("all parts of the AWS SDK share one @smithy/core, so that a bundle contains one copy", async () => {
  const { packages } = lockFile.parse(await readJson("package-lock.json"));

  expect(Object.keys(packages).filter((path) => path.endsWith("node_modules/@smithy/core"))).toEqual([
    "node_modules/@smithy/core",
  ]);
});

test.each(globSync("packages/*/package.json", { cwd: fileURLToPath(project) }))(
  "npm refuses to pack the sources of %s because its build is in another folder",
  async (manifest) => {
    const cwd = dirname(fileURLToPath(new URL(manifest, project)));
    await expect(promisify(execFile)("npm", ["pack", "--dry-run"], { cwd })).rejects.toThrow(
      "must have name and version",
    );
    expect(await readJson(manifest)).toMatchObject({ private: true });
  },
);

test.each(["client/package.json", "python-client/pyproject.toml"])(
  "the version in packages/%s matches the first entry of its changelog",
  async (name) => {
    const manifest = new URL(`packages/${name}`, project);
    const [text, changelog] = await Promise.all(
      [manifest, new URL("CHANGELOG.md", manifest)].map((file) => readFile(file, "utf8")),
    );
    const [, version] = /^ *"?(?:release|version)"?[ :=]+"(.+)"/m.exec(text ?? "") ?? [];
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(/^## (.+)$/m.exec(changelog ?? "")?.[1]).toBe(version);
  },
);

test.each(globSync([".github/workflows/*.yml", "examples/pipeline/deploy*.yml"], { cwd: fileURLToPath(project) }))(
  "%s pins each action to its commit, names the version in a comment, and grants write permissions only per job",
  async (workflow) => {
    const text = await readFile(new URL(workflow, project), "utf8");
    const actions = [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action);

    expect(actions.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(String(action)))).toEqual([]);
    expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)\n\n/m);
  },
);
