import { join } from "node:path";

/*
 * What a synthesis writes into the cloud assembly beside what is deployed. Apart from the bundling itself, so that reading
 * these files does not load esbuild.
 */

/** The list of the bundled functions with their entries: `[{ "name": …, "entry": … }]`. */
export const bundledFunctionsFile = "bundled-functions.json";

export const sourceMapFolderOf = (assemblyDirectory: string): string => join(assemblyDirectory, "source-maps");

/** The source map of a function's bundle. */
export const sourceMapFile = (assemblyDirectory: string, functionName: string): string =>
  join(sourceMapFolderOf(assemblyDirectory), `${functionName}.js.map`);
