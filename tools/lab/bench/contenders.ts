import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { build, transform } from "esbuild";
import { type BundleSettings, bundleEntries } from "../../../infra/bundles/bundle.ts";
import { addCodeCaches } from "../../../infra/bundles/code-caches.ts";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
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
  return { name: title, files: { "GET 200": file, "POST 201": file }, kilobytes: statSync(file).size / 1000 };
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
  const url = "http://127.0.0.1";
  const places = { environment: localAwsEnvironment(), baseUrl: url, loginUrl: url };
  const { functions } = await readApplication(await unpackRelease("service", folder), places);
  const fileOf = async (name: string): Promise<string> => {
    const file = join(functions.find((one) => one.name === name)?.codeDirectory ?? "", "index.js");
    // Deployed code has short names.
    const { code } = await transform(await readFile(file, "utf8"), { minify: true, format: "cjs", target: "node24" });
    await writeFile(file, code);
    return file;
  };
  const files = { "GET 200": await fileOf("v1-list-keys"), "POST 201": await fileOf("v1-create-key") };
  return { name: `Release ${(await readRelease()).version}`, files, kilobytes: statSync(files["GET 200"]).size / 1000 };
};

/** Bundles the functions of both requests, with V8's code caches and without. */
export const thisVersion = async (name: string, folder: string, settings?: BundleSettings): Promise<Contender[]> => {
  const functions = functionsOf(api)
    .filter((one) => ["v1-list-keys", "v1-create-key"].includes(one.name))
    .map((one) => ({ ...one, bundleFolder: join(folder, "accepted", one.name) }));
  const bundles = await bundleEntries(
    functions.map((one) => ({ ...one.code, name: one.name })),
    settings,
  );
  for (const { name: functionName, code, sourceMap } of bundles) {
    const bundleFolder = join(folder, "accepted", functionName);
    await mkdir(bundleFolder, { recursive: true });
    await writeFile(join(bundleFolder, "index.js"), code);
    await writeFile(join(bundleFolder, "index.js.map"), sourceMap);
  }
  // V8 accepts a code cache only on the architecture where it was made.
  await addCodeCaches(functions, process.arch === "arm64" ? "arm64" : "x86_64");
  await cp(join(folder, "accepted"), join(folder, "rejected"), { recursive: true });
  for (const one of functions) await rm(join(folder, "rejected", one.name, "index.cache"));
  const kilobytes = (bundles[0]?.code.length ?? 0) / 1000;
  return ["accepted", "rejected"].map((state) => {
    const fileIn = (functionName: string) => join(folder, state, functionName, "cached.js");
    const files = { "GET 200": fileIn("v1-list-keys"), "POST 201": fileIn("v1-create-key") };
    return { name: `${name} ${state}`, files, kilobytes };
  });
};
