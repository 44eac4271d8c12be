import { spawnSync } from "node:child_process";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Builds the package whose folder is the current one in its folder `dist`, for `npm publish` or `npm pack` there. Node.js does
 * not strip types below node_modules, so `dist` has JavaScript and declarations instead of TypeScript.
 *
 * The package.json of the sources has no version, only a `release`, so that npm refuses to pack them. A `prepack` script
 * would not help: this project's .npmrc forbids scripts.
 */

const folder = process.cwd();
const dist = join(folder, "dist");
const { release, build, ...manifest } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

await rm(dist, { recursive: true, force: true });
for (const project of build.projects) {
  // npm puts the compiler on the path.
  const { status, error } = spawnSync(`tsc -p ${project}`, { stdio: "inherit", shell: true });
  if (status !== 0) {
    const hint = "If it is missing, run npm ci --include=dev first.";
    throw new Error(`The TypeScript compiler ended with ${status}. ${hint}`, { cause: error });
  }
}
for (const file of ["README.md", ...build.files]) {
  await copyFile(join(folder, file), join(dist, file.replace(/^src\//, "")));
}
await copyFile(fileURLToPath(new URL("../LICENSE", import.meta.url)), join(dist, "LICENSE"));

for (const name of ["private", "scripts", "devDependencies"]) delete manifest[name];
const modules = Object.entries<string>(manifest.exports).map(([name, file]) => {
  const module = file.replace("./src/", "./").replace(/\.ts$/, "");
  return [name, module === file ? file : { types: `${module}.d.ts`, default: `${module}.js` }];
});
const text = JSON.stringify({ ...manifest, version: release, exports: Object.fromEntries(modules) }, undefined, 2);
await writeFile(join(dist, "package.json"), `${text}\n`);
