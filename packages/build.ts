import { spawnSync } from "node:child_process";
import { copyFile, cp, glob, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Builds the package in the current folder into another folder, by default `dist`. Run `npm publish` or `npm pack` there. The build
 * contains JavaScript and declarations instead of TypeScript, because Node.js doesn't strip types below node_modules.
 *
 * The package.json of the sources has a `release` but no version, so that npm refuses to pack the sources. A `prepack` script
 * wouldn't help, because this project's .npmrc forbids scripts.
 */

if (/^(-h|--help)$/.test(process.argv[2] ?? "")) {
  console.log("Usage: npm run build -- [FOLDER]\n\nBuilds the package in the current folder, by default into dist.");
  process.exit();
}

const folder = process.cwd();
const dist = resolve(process.argv[2] ?? "dist");
const { release, build, ...manifest } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

await rm(dist, { recursive: true, force: true });
for (const project of build.projects) {
  // npm adds the compiler to the path.
  const { status, error } = spawnSync(`tsc -p ${project} --outDir ${dist}`, { stdio: "inherit", shell: true });
  if (status !== 0) {
    const hint = "If it is missing, run npm ci --include=dev first.";
    throw new Error(`The TypeScript compiler exited with ${status}. ${hint}`, { cause: error });
  }
}
for await (const file of glob(["README.md", ...build.files], { cwd: folder })) {
  await cp(join(folder, file), join(dist, file.replace(/^src\//, "")), { recursive: true });
}
for (const name of build.included ?? []) {
  const source = join(folder, name);
  // As in npm, a package may have its own compiler.
  const env = { ...process.env, PATH: [join(source, "node_modules/.bin"), process.env.PATH].join(delimiter) };
  const words = [fileURLToPath(import.meta.url), join(dist, name)];
  const { status, error } = spawnSync(process.execPath, words, { cwd: source, env, stdio: "inherit" });
  if (status !== 0) throw new Error(`The build of ${name} exited with ${status}.`, { cause: error });
}
await copyFile(fileURLToPath(new URL("../LICENSE", import.meta.url)), join(dist, "LICENSE"));

for (const name of ["//", "private", "scripts", "devDependencies", "workspaces", "overrides"]) delete manifest[name];
// Leaves out what the built files already contain, and the peers that the application provides, so that it has only one version of
// each.
const { bundled = [], peers = [], packages = [] } = build;
const ranges = peers.map((name: string) => [name, `^${manifest.dependencies[name]}`]);
if (peers.length > 0) manifest.peerDependencies = { ...manifest.peerDependencies, ...Object.fromEntries(ranges) };
for (const name of [...bundled, ...peers]) delete manifest.dependencies[name];
for (const name of packages) {
  const file = join(folder, "packages", name, "package.json");
  const dependency = JSON.parse(await readFile(file, "utf8"));
  manifest.dependencies[dependency.name] = dependency.release;
}
const modules = Object.entries<string>(manifest.exports).map(([name, file]) => {
  const module = file.replace("./src/", "./").replace(/\.ts$/, "");
  return [name, module === file ? file : { types: `${module}.d.ts`, default: `${module}.js` }];
});
if (manifest.bin)
  manifest.bin = JSON.parse(JSON.stringify(manifest.bin).replaceAll(/"\.\/src\/(.+?)\.ts"/g, '"$1.js"'));
const text = JSON.stringify(
  { ...manifest, version: release ?? manifest.version, exports: Object.fromEntries(modules) },
  undefined,
  2,
);
await writeFile(join(dist, "package.json"), `${text}\n`);
