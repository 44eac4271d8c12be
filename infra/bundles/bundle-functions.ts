import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundledFunction, FunctionDeclaration } from "../functions.ts";
import {
  type BundleSource,
  bundledFunctionsFile,
  bundleFolderOf,
  bundleSourceFile,
  sourceMapFile,
  sourceMapFolderOf,
} from "./assembly-files.ts";
import { type BundleSettings, bundleEntries } from "./bundle.ts";

interface OutputSettings extends Pick<BundleSettings, "trimSdk" | "keepsNames"> {
  folder: string;
  /** Skips the functions whose number grows with the service. A local run bundles them when they are first called. */
  defersEndpoints?: boolean;
}

/**
 * Bundles each function with its dependencies into `<folder>/bundles/<name>/index.js`. The bundle includes the AWS SDK, because
 * this pins the tested version and loads faster than the runtime's own SDK.
 *
 * Source maps are written to `<folder>/source-maps/<name>.js.map`, outside the deployed folders, together with a list of the
 * bundled functions, so that the functions can be bundled again.
 */
export const bundleFunctions = async (
  functions: FunctionDeclaration[],
  { folder, defersEndpoints = false, ...settings }: OutputSettings,
): Promise<BundledFunction[]> => {
  const sourceMapFolder = sourceMapFolderOf(folder);
  await mkdir(sourceMapFolder, { recursive: true });
  const sources = functions.map(({ name, code }): BundleSource => ({ name, ...code }));
  await writeFile(join(folder, bundledFunctionsFile), JSON.stringify(sources));
  const prepareFolder = async ({ name, writeFiles }: FunctionDeclaration): Promise<void> => {
    const bundleFolder = bundleFolderOf(folder, name);
    // Files left over from an earlier synthesis would be deployed too.
    await rm(bundleFolder, { recursive: true, force: true });
    await mkdir(bundleFolder, { recursive: true });
    await writeFiles?.(bundleFolder);
  };
  const isDeferred = ({ kind }: FunctionDeclaration) => defersEndpoints && ["endpoint", "job", "check"].includes(kind);
  const deferred = new Set(functions.filter(isDeferred).map(({ name }) => name));
  const now = sources.filter(({ name }) => !deferred.has(name));
  const [bundles] = await Promise.all([
    bundleEntries(now, { ...settings, sourceMapFolder }),
    ...functions.map(prepareFolder),
  ]);
  for (const { name, code, sourceMap } of bundles) {
    await writeFile(join(bundleFolderOf(folder, name), "index.js"), code);
    await writeFile(sourceMapFile(folder, name), sourceMap);
  }
  for (const source of sources.filter(({ name }) => deferred.has(name))) {
    await writeFile(join(bundleFolderOf(folder, source.name), bundleSourceFile), JSON.stringify(source));
  }
  return functions.map((declaration) => ({ ...declaration, bundleFolder: bundleFolderOf(folder, declaration.name) }));
};
