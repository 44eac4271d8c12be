import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";

const project = new URL("../../", import.meta.url);
const manifest = z.object({ scripts: z._default(z.record(z.string(), z.string()), {}) });

const folders = [
  "",
  ".github/",
  "docs/",
  "docs/decisions/",
  "docs/guide/",
  "packages/client/",
  "packages/cdk-local-runner/",
  "packages/python-client/",
];
const documents = (
  await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(new URL(folder, project));
      return names.filter((name) => name.endsWith(".md")).map((name) => folder + name);
    }),
  )
).flat();

const read = (document: string): Promise<string> => readFile(new URL(document, project), "utf8");

/** Returns the commands of the package in a folder, if there is one. */
const scriptsIn = async (folder: string): Promise<Record<string, string>> => {
  const file = new URL(`${folder}package.json`, project);
  return existsSync(file) ? manifest.parse(JSON.parse(await readFile(file, "utf8"))).scripts : {};
};

/** Returns the id that GitHub gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

describe.each(documents)("%s", (document) => {
  test("contains only links to existing files and headings", async () => {
    const links = [...(await read(document)).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];

    for (const [link, path = "", anchor] of links) {
      // A package has only its own folder.
      if (document.startsWith("packages/")) expect(path, link).not.toContain("..");
      const target = path === "" ? new URL(document, project) : new URL(path, new URL(document, project));
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(await readFile(target, "utf8")), link).toContain(anchor);
    }
  });

  test("mentions only existing files and folders", async () => {
    const named = [
      ...(await read(document)).matchAll(/`((?:docs|infra|lambdas|local|packages|test|tools|web)\/[\w./-]*)`/g),
    ].map(([, path = ""]) => path);

    const bases = [project, new URL(document, project)];
    expect(named.filter((path) => !bases.some((base) => existsSync(new URL(path, base))))).toEqual([]);
  });

  test("mentions only existing commands", async () => {
    const scripts = { ...(await scriptsIn("")), ...(await scriptsIn(document.replace(/[^/]*$/, ""))) };
    const named = (await read(document)).matchAll(/npm run (?:--?\w+ )*([\w-]+)(?: --workspace ([\w/-]+))?/g);
    for (const [command, name = "", workspace] of named) {
      expect(workspace === undefined ? scripts : await scriptsIn(`${workspace}/`), command).toHaveProperty([name]);
    }
  });
});
