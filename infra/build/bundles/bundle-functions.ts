import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FunctionDeclaration } from "../../functions.ts";
import { bundledFunctionsFile, sourceMapFile, sourceMapFolderOf } from "./assembly-files.ts";
import { bundleEntry } from "./bundle-entry.ts";
import type { BundleSource } from "./bundle-options.ts";

export interface BundledFunction extends FunctionDeclaration {
  /** The folder that is deployed. */
  bundleFolder: string;
}

interface OutputSettings {
  folder: string;
  trimSdk?: boolean;
}

/**
 * Bundles each function into `<folder>/bundles/<name>/index.js` with everything that it needs. That includes the AWS SDK: it is
 * the version that was tested, and it loads faster than the runtime's own.
 *
 * Source maps are written to `<folder>/source-maps/<name>.js.map`, outside what is deployed, and so is a list of what was
 * bundled, so that it can be bundled again.
 */
export const bundleFunctions = async (
  functions: FunctionDeclaration[],
  { folder, ...settings }: OutputSettings,
): Promise<BundledFunction[]> => {
  const sourceMapFolder = sourceMapFolderOf(folder);
  await mkdir(sourceMapFolder, { recursive: true });
  const sources = functions.map(({ name, entry }): BundleSource => ({ name, entry }));
  await writeFile(join(folder, bundledFunctionsFile), JSON.stringify(sources));
  return Promise.all(
    functions.map(async (declaration) => {
      const bundleFolder = join(folder, "bundles", declaration.name);
      // Files of an earlier synthesis would be deployed too.
      await rm(bundleFolder, { recursive: true, force: true });
      await mkdir(bundleFolder, { recursive: true });
      const [{ code, sourceMap }] = await Promise.all([
        bundleEntry(declaration, { ...settings, sourceMapFolder }),
        declaration.writeFiles?.(bundleFolder),
      ]);
      await writeFile(join(bundleFolder, "index.js"), code);
      await writeFile(sourceMapFile(folder, declaration.name), sourceMap);
      return { ...declaration, bundleFolder };
    }),
  );
};
