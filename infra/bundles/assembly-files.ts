import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";

/*
 * The files that synthesis writes into the cloud assembly for the functions. They are separate from the bundling so that reading
 * them does not load esbuild.
 */

/** Tells cdk-local-runner what a local run leaves out. */
export const ignoreFile = "cdk-local-runner.json";

/** Names the client of the token that the first local start issues. Missing if the service has no `exampleClient`. */
export const exampleClientFile = "example-client.json";

/** Returns the `exampleClient` of the service in an assembly. */
export const readExampleClient = async (assemblyDirectory: string): Promise<string | undefined> => {
  const file = join(assemblyDirectory, exampleClientFile);
  return existsSync(file) ? z.string().parse(JSON.parse(await readFile(file, "utf8"))) : undefined;
};

/** Lists the bundled functions, with a `BundleSource` for each. */
export const bundledFunctionsFile = "bundled-functions.json";

/** Holds the `BundleSource` of a function that a local run bundles later. It takes the place of the function's code. */
export const bundleSourceFile = "bundle-source.json";

/** A function's name and the `FunctionCode` that it is bundled from. */
export type BundleSource = z.output<typeof bundleSource>;

const bundleSource = z.object({
  name: z.string(),
  entry: z.string(),
  endpoint: z.optional(z.object({ name: z.string(), file: z.string() })),
  settings: z.optional(z.record(z.string(), z.unknown())),
  stores: z.optional(z.array(z.string())),
  needsWords: z.optional(z.literal(true)),
  takesJson: z.optional(z.literal(true)),
  rendersMore: z.optional(z.literal(true)),
  reads: z.optional(z.enum(["settings", "secrets"])),
  hasTransaction: z.optional(z.literal(true)),
  hasChanges: z.optional(z.literal(true)),
});

/** Returns the functions that a synthesis has bundled. */
export const readBundleSources = async (assemblyDirectory: string): Promise<BundleSource[]> =>
  z.array(bundleSource).parse(JSON.parse(await readFile(join(assemblyDirectory, bundledFunctionsFile), "utf8")));

/** Checks whether a function's folder contains its code, rather than the source to bundle it from. */
export const hasCode = (codeDirectory: string): boolean => !existsSync(join(codeDirectory, bundleSourceFile));

/** Reads the source that the code in a function's folder is bundled from. */
export const readBundleSource = async (codeDirectory: string): Promise<BundleSource> =>
  bundleSource.parse(JSON.parse(await readFile(join(codeDirectory, bundleSourceFile), "utf8")));

/** Returns the folder with a function's deployed code. */
export const bundleFolderOf = (assemblyDirectory: string, functionName: string): string =>
  join(assemblyDirectory, "bundles", functionName);

export const sourceMapFolderOf = (assemblyDirectory: string): string => join(assemblyDirectory, "source-maps");

/** Returns the path of the source map of a function's bundle. */
export const sourceMapFile = (assemblyDirectory: string, functionName: string): string =>
  join(sourceMapFolderOf(assemblyDirectory), `${functionName}.js.map`);
