import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

/** Returns the imports of a part's files, as paths in the package or names of packages. */
const importsOf = async (part: string): Promise<string[]> => {
  const imports = [];
  for await (const file of glob(`${part}/**/*.{ts,mjs}`, { cwd: folder })) {
    const text = await readFile(join(folder, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:\bfrom|^import|\bimport\() ?"([^"]+)"/gm)) {
      imports.push(specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier);
    }
  }
  return imports;
};

const isAllowed = (imported: string, { parts, packages }: { parts: string[]; packages: string[] }): boolean =>
  parts.some((part) => imported.startsWith(`${part}/`)) ||
  ["node:", ...packages].some((name) => imported === name || imported.startsWith(name.replace(/[^:]$/, "$&/")));

test.each([
  ["src", { parts: ["src"], packages: Object.keys(dependencies) }],
  ["test", { parts: ["src", "test"], packages: Object.keys({ ...dependencies, ...devDependencies }) }],
])("%s imports only from the package and its dependencies", async (part, allowed) => {
  const imports = await importsOf(part);

  expect(imports.filter((imported) => !isAllowed(imported, allowed))).toEqual([]);
  expect(imports.length).toBeGreaterThan(0);
});
