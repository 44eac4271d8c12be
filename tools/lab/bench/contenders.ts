import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { localAwsEnvironment, readApplication } from "cdk-local-runner/parts";
import { build, transform } from "esbuild";
import { bundleFolderOf } from "../../../infra/bundles/assembly-files.ts";
import { bundleFunctions } from "../../../infra/bundles/bundle-functions.ts";
import { addCodeCaches } from "../../../infra/bundles/code-caches.ts";
import { functionsOf } from "../../../infra/functions.ts";
import { api } from "../../../lambdas/api.ts";
import { readRelease, unpackRelease } from "../../release/release-folder.ts";
import type { Contender } from "./measure.ts";

const projectModules = join(dirname(createRequire(import.meta.url).resolve("esbuild/package.json")), "..");

/** The functions that serve the requests. */
const functionNames = ["v1-list-keys", "v1-create-key"] as const;

/** @param fileOf returns the file with the handler of a function, which has its code beside it */
const contender = (name: string, fileOf: (functionName: string) => string): Contender => {
  const [get, post] = functionNames;
  const files = { "GET 200": fileOf(get), "POST 201": fileOf(post) };
  return { name, files, kilobytes: statSync(join(dirname(fileOf(get)), "index.js")).size / 1000 };
};

/** Bundles a handler with the unmodified SDK, as CDK's NodejsFunction can. */
const bundled = async (name: string, title: string, folder: string, modules: string[]): Promise<Contender> => {
  const outfile = join(folder, name, "index.js");
  await build({
    entryPoints: [fileURLToPath(new URL(`contenders/${name}.mjs`, import.meta.url))],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    mainFields: ["module", "main"],
    nodePaths: [...modules, projectModules],
    logLevel: "error",
  });
  return contender(title, () => outfile);
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
  const fileOf = (functionName: string): string =>
    join(functions.find(({ name }) => name === functionName)?.codeDirectory ?? "", "index.js");
  for (const file of functionNames.map(fileOf)) {
    // Deployed code has short names.
    const { code } = await transform(await readFile(file, "utf8"), { minify: true, format: "cjs", target: "node24" });
    await writeFile(file, code);
  }
  return contender(`Release ${(await readRelease()).version}`, fileOf);
};

/** Bundles the functions, with V8's code caches (in the folder `accepted`) and without (in `rejected`). */
export const thisVersion = async (folder: string): Promise<Contender[]> => {
  const [accepted, rejected] = [join(folder, "accepted"), join(folder, "rejected")];
  const declared = functionsOf(api).filter(({ name }) => functionNames.some((one) => one === name));
  const functions = await bundleFunctions(declared, { folder: accepted });
  // V8 accepts a code cache only on the architecture where it was made.
  await addCodeCaches(functions, process.arch === "arm64" ? "arm64" : "x86_64");
  await cp(accepted, rejected, { recursive: true });
  for (const name of functionNames) await rm(join(bundleFolderOf(rejected, name), "index.cache"));
  return ["accepted", "rejected"].map((state) =>
    contender(`This version, code cache ${state}`, (name) =>
      join(bundleFolderOf(join(folder, state), name), "cached.js"),
    ),
  );
};
