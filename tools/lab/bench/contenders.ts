import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { build, transform } from "esbuild";
import { readRelease, unpackRelease } from "../../release/release-folder.ts";
import type { Contender } from "./measure.ts";

const fileOf = (name: string): string => fileURLToPath(new URL(`contenders/${name}.mjs`, import.meta.url));
const projectModules = join(dirname(createRequire(import.meta.url).resolve("esbuild/package.json")), "..");

/** Bundles a handler with the SDK as it is installed, as CDK's NodejsFunction can. */
const bundled = async (name: string, title: string, folder: string, modules: string[]): Promise<Contender> => {
  const file = join(folder, `${name}.js`);
  await build({
    entryPoints: [fileOf(name)],
    outfile: file,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    mainFields: ["module", "main"],
    nodePaths: [...modules, projectModules],
    logLevel: "error",
  });
  return { name: title, files: { GET: file, POST: file }, kilobytes: statSync(file).size / 1000 };
};

/** The bare handler that everything is compared with. */
export const floor = (folder: string): Promise<Contender> => bundled("floor", "Bare handler", folder, []);

const peers = {
  hono: ["hono"],
  powertools: ["@aws-lambda-powertools/event-handler"],
  express: ["express", "@codegenie/serverless-express"],
  fastify: ["fastify", "@fastify/aws-lambda"],
} as const;

/** Installs the current versions of other frameworks, and bundles the same job on each. Needs the npm registry. */
export const installPeers = async (folder: string): Promise<Contender[]> => {
  const packages = Object.values(peers).flat();
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
  execFileSync("npm", ["install", ...options, ...packages.map((name) => `${name}@latest`)], { stdio: "pipe" });
  const modules = join(folder, "node_modules");
  const versionOf = (name: string): string =>
    JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version;
  return Promise.all(
    Object.entries(peers).map(([name, [main]]) => bundled(name, `${main} ${versionOf(main)}`, folder, [modules])),
  );
};

/** The bundles of the last recorded release. */
export const release = async (folder: string): Promise<Contender> => {
  const unpacked = await contenderIn(
    await unpackRelease("service", folder),
    `Release ${(await readRelease()).version}`,
  );
  // Deployed code has short names.
  for (const file of Object.values(unpacked.files)) {
    const { code } = await transform(await readFile(file, "utf8"), { minify: true, format: "cjs", target: "node24" });
    await writeFile(file, code);
  }
  return { ...unpacked, kilobytes: statSync(unpacked.files.GET).size / 1000 };
};

/** The bundles of this version, with V8's code caches, and with caches that V8 cannot use. */
export const thisVersion = async (assembly: string, folder: string): Promise<Contender[]> => {
  const accepted = await contenderIn(assembly, "This version");
  if (!existsSync(join(dirname(accepted.files.GET), "index.cache"))) return [accepted];
  const copy = async (file: string): Promise<string> => {
    const to = join(folder, dirname(file).split("/").at(-1) ?? "");
    await cp(dirname(file), to, { recursive: true });
    await rm(join(to, "index.cache"));
    return join(to, "cached.js");
  };
  const files = { GET: await copy(accepted.files.GET), POST: await copy(accepted.files.POST) };
  return [
    { ...accepted, name: "This version, code cache accepted" },
    { ...accepted, name: "This version, code cache rejected", files },
  ];
};

const contenderIn = async (assemblyDirectory: string, name: string): Promise<Contender> => {
  const url = "http://127.0.0.1";
  const places = { environment: localAwsEnvironment(), baseUrl: url, loginUrl: url };
  const { functions } = await readApplication(assemblyDirectory, places);
  const entryOf = (functionName: string): string => {
    const found = functions.find((one) => one.name === functionName);
    if (!found) throw new Error(`${name} has no function ${functionName}.`);
    const loader = join(found.codeDirectory, "cached.js");
    return existsSync(loader) ? loader : join(found.codeDirectory, "index.js");
  };
  const files = { GET: entryOf("v1-list-keys"), POST: entryOf("v1-create-key") };
  return { name, files, kilobytes: statSync(join(dirname(files.GET), "index.js")).size / 1000 };
};
