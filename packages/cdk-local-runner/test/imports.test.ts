import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

/** Returns the imports of a part's files, as paths in the package or names of packages. */
const importsOf = async (part: string): Promise<{ file: string; imported: string }[]> => {
  const imports = [];
  for await (const file of glob(`${part}/**/*.{ts,mjs}`, { cwd: folder })) {
    const text = await readFile(join(folder, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|^import|\bimport\() ?"([^"]+)"/gm)) {
      imports.push({
        file,
        imported: specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier,
      });
    }
  }
  return imports;
};

const isAllowed = (imported: string, { parts, packages }: { parts: string[]; packages: string[] }): boolean =>
  parts.some((part) => imported.startsWith(`${part}/`)) ||
  ["node:", ...packages].some((name) => imported === name || imported.startsWith(name.replace(/[^:]$/, "$&/")));

/** Removes imports of what imports nothing itself, until none is left. The remaining imports lead to cycles. */
const circlesIn = (imports: { from: string; to: string }[]): { from: string; to: string }[] => {
  const left = imports.filter(({ to }) => imports.some(({ from }) => from === to));
  return left.length === imports.length ? imports : circlesIn(left);
};

test("files and folders do not import each other in cycles, not even for types", async () => {
  const files = (await importsOf("src")).map(({ file, imported }) => ({ from: file, to: imported }));
  const folderOf = (file: string) => file.split("/").slice(0, 2).join("/");
  const folders = files.map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }));

  expect(circlesIn(files)).toEqual([]);
  expect(circlesIn(folders.filter(({ from, to }) => from !== to))).toEqual([]);
});

test.each([
  ["src", { parts: ["src"], packages: Object.keys(dependencies) }],
  ["test", { parts: ["src", "test"], packages: Object.keys({ ...dependencies, ...devDependencies }) }],
])("%s imports only from the package and its dependencies", async (part, allowed) => {
  const imports = await importsOf(part);

  expect(imports.filter(({ imported }) => !isAllowed(imported, allowed))).toEqual([]);
  expect(imports.length).toBeGreaterThan(0);
});
