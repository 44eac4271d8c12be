import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import type { BundleSource } from "./bundle.ts";

/*
 * The files that a synthesis writes into the cloud assembly for the functions. Separate from the bundling, so that reading
 * these files does not load esbuild.
 */

/** The list of the bundled functions: a `BundleSource` for each. */
export const bundledFunctionsFile = "bundled-functions.json";

/** In the place of a function's code that a local run bundles later: its `BundleSource`. */
export const bundleSourceFile = "bundle-source.json";

const bundleSource = z.object({
  name: z.string(),
  entry: z.string(),
  endpoint: z.optional(z.object({ name: z.string(), file: z.string() })),
  settings: z.optional(z.record(z.string(), z.unknown())),
  stores: z.optional(z.array(z.string())),
});

/** The functions that a synthesis has bundled. */
export const readBundleSources = async (assemblyDirectory: string): Promise<BundleSource[]> =>
  z.array(bundleSource).parse(JSON.parse(await readFile(join(assemblyDirectory, bundledFunctionsFile), "utf8")));

/** Whether a function's folder has code, rather than what the code is bundled from. */
export const hasCode = (codeDirectory: string): boolean => !existsSync(join(codeDirectory, bundleSourceFile));

/** What the code in a function's folder is bundled from. */
export const readBundleSource = async (codeDirectory: string): Promise<BundleSource> =>
  bundleSource.parse(JSON.parse(await readFile(join(codeDirectory, bundleSourceFile), "utf8")));

/** The folder with a function's code, which is deployed. */
export const bundleFolderOf = (assemblyDirectory: string, functionName: string): string =>
  join(assemblyDirectory, "bundles", functionName);

export const sourceMapFolderOf = (assemblyDirectory: string): string => join(assemblyDirectory, "source-maps");

/** The source map of a function's bundle. */
export const sourceMapFile = (assemblyDirectory: string, functionName: string): string =>
  join(sourceMapFolderOf(assemblyDirectory), `${functionName}.js.map`);
