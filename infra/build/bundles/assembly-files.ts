import { join } from "node:path";

/*
 * The files that a synthesis writes into the cloud assembly but does not deploy. Separate from the bundling, so that reading
 * these files does not load esbuild.
 */

/** The list of the bundled functions with their entries: `[{ "name": …, "entry": … }]`. */
export const bundledFunctionsFile = "bundled-functions.json";

export const sourceMapFolderOf = (assemblyDirectory: string): string => join(assemblyDirectory, "source-maps");

/** The source map of a function's bundle. */
export const sourceMapFile = (assemblyDirectory: string, functionName: string): string =>
  join(sourceMapFolderOf(assemblyDirectory), `${functionName}.js.map`);
