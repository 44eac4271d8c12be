import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { availableParallelism, devNull } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FileSystem } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { tableVariable } from "../../lambdas/dynamodb/uses.ts";
import { baseUrlVariable, secretsPathVariable, settingVariable } from "../../lambdas/shared/environment.ts";
import type { BundledFunction } from "../functions.ts";
import { examplesOf } from "../stages/settings.ts";
import type { Stage } from "../stages/stage.ts";

const loaderFile = "cached.js";
const cacheFile = "index.cache";

/** The architectures of Lambda, as Node.js calls them. */
const nodeArchitectures = { arm64: "arm64", x86_64: "x64" } as const satisfies Record<Stage["architecture"], string>;

/** The functions that one process makes caches for, one after another. Each takes some megabytes. */
const functionsInProcess = 12;

/**
 * Adds a code cache and its loader to the bundles of the functions whose cold start a client waits for. V8 accepts a cache only on
 * the architecture where it was made, so other machines say that they leave the caches out.
 */
export const addCodeCaches = async (
  functions: readonly BundledFunction[],
  architecture: Stage["architecture"],
): Promise<void> => {
  const cached = functions.filter(({ kind }) => kind === "endpoint" || kind === "fallback");
  for (const { bundleFolder } of cached) {
    // A release's archive keeps the bundles of an earlier deployment.
    for (const file of [loaderFile, cacheFile]) await rm(join(bundleFolder, file), { force: true });
  }
  const [here, target] = [`${process.platform} ${process.arch}`, `linux ${nodeArchitectures[architecture]}`];
  if (here !== target) {
    process.stderr.write(`The functions have no code cache, because that takes ${target}, and this is ${here}.\n`);
    return;
  }
  const loader = fileURLToPath(new URL("cached.cjs", import.meta.url));
  await Promise.all(cached.map(({ bundleFolder }) => cp(loader, join(bundleFolder, loaderFile))));
  const size = Math.min(functionsInProcess, Math.ceil(cached.length / availableParallelism()));
  const batches = Array.from({ length: Math.ceil(cached.length / size) }, (_, index) =>
    cached.slice(index * size, (index + 1) * size),
  );
  const work = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) await makeCaches(batch);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
};

/** Runs make-code-caches.mjs with invented values in place of this process's environment. */
const makeCaches = async (functions: readonly BundledFunction[]): Promise<void> => {
  const program = fileURLToPath(new URL("make-code-caches.mjs", import.meta.url));
  const tables = functions
    .flatMap(({ uses }) => Object.keys(uses))
    .map((store) => [tableVariable(store), "code-cache-table"]);
  const settings = functions.flatMap(({ values }) => Object.entries(examplesOf(values?.settings ?? {})));
  const child = spawn(process.execPath, [program], {
    env: {
      ...Object.fromEntries(tables),
      ...Object.fromEntries(settings.map(([name, text]) => [settingVariable(name), text])),
      [secretsPathVariable]: "/code-cache/",
      [baseUrlVariable]: "https://code-cache.example",
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "code-cache-key-id",
      AWS_SECRET_ACCESS_KEY: "code-cache-secret",
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
    },
    // The functions' own log is not of interest.
    stdio: ["pipe", "ignore", "inherit"],
  });
  const work = functions.map(({ name, bundleFolder, checks }) => ({
    name,
    // The CDK's command line gives a relative folder.
    bundleFolder: resolve(bundleFolder),
    requests: checks.map(({ request }) => request),
  }));
  child.stdin.end(JSON.stringify(work));
  const [exitCode, signal] = await once(child, "close");
  if (exitCode !== 0) throw new Error(`make-code-caches.mjs exited with ${signal ?? exitCode}.`);
};

/**
 * Returns the code of a bundle, and the function's handler in it. Two caches of the same code are never equal byte for byte. The
 * asset's hash therefore covers everything else, and what V8 compares before it accepts a cache. Otherwise, each deployment would
 * replace all functions.
 */
export const codeIn = (bundleFolder: string): { code: Code; handler: string } => {
  const file = join(bundleFolder, cacheFile);
  if (!existsSync(file)) return { code: Code.fromAsset(bundleFolder), handler: "index.handler" };
  const [v8Version = "", architecture = ""] = readFileSync(file).toString("latin1", 0, 64).split(" ");
  const assetHash = FileSystem.fingerprint(bundleFolder, {
    exclude: [cacheFile],
    extraHash: `${v8Version} ${architecture}`,
  });
  return { code: Code.fromAsset(bundleFolder, { assetHash }), handler: "cached.handler" };
};
