import { spawnSync } from "node:child_process";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Builds the package in `dist`, ready for `npm pack` there: Node.js does not strip types below node_modules, so it has
 * JavaScript and declarations instead of TypeScript.
 */

const folder = fileURLToPath(new URL(".", import.meta.url));
const dist = join(folder, "dist");

await rm(dist, { recursive: true, force: true });
// npm puts the compiler on the path.
const { status, error } = spawnSync("tsc -p tsconfig.build.json", { cwd: folder, stdio: "inherit", shell: true });
if (status !== 0) throw new Error(`The TypeScript compiler ended with ${status}.`, { cause: error });

for (const file of ["lambda/function-thread.mjs", "login/pages.css"]) {
  await copyFile(join(folder, "src", file), join(dist, file));
}
await copyFile(join(folder, "README.md"), join(dist, "README.md"));
await copyFile(join(folder, "../../LICENSE"), join(dist, "LICENSE"));

const {
  private: _,
  scripts: __,
  devDependencies: ___,
  exports,
  ...manifest
} = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
const built = Object.entries<string>(exports).map(([name, file]) => {
  const module = file.replace("./src/", "./").replace(/\.ts$/, "");
  return [name, { types: `${module}.d.ts`, default: `${module}.js` }];
});
const text = JSON.stringify({ ...manifest, exports: Object.fromEntries(built) }, undefined, 2);
await writeFile(join(dist, "package.json"), `${text}\n`);
