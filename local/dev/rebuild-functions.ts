import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildContext, context } from "esbuild";
import { bundleOf } from "../../infra/build/bundles/bundle-entry.ts";
import { type BundleSource, bundleOptions } from "../../infra/build/bundles/bundle-options.ts";

interface RebuildOptions {
  /** Where new bundles and their source maps are written. */
  folder: string;
  /** The folder from which a function's code is currently loaded. */
  codeDirectoryOf: (functionName: string) => string | undefined;
}

/** A function with the folder of its new bundle. */
export interface RebuiltFunction {
  name: string;
  codeDirectory: string;
}

export interface FunctionRebuilder {
  /** Builds all functions once, so that later builds are quick and it is known which files each function contains. */
  prepare: () => Promise<void>;
  /**
   * Bundles the functions that contain one of these files again.
   *
   * @throws {Error} if one does not compile, after esbuild has reported why.
   */
  rebuild: (changedPaths: readonly string[]) => Promise<RebuiltFunction[]>;
  /** The source map of a function's latest bundle; undefined until it has been rebuilt. */
  sourceMapOf: (functionName: string) => string | undefined;
  close: () => Promise<void>;
}

/**
 * Keeps an incremental build of each function, with the options with which it is deployed. Only its arrow functions stay as they
 * are, because converting them takes time: see infra/build/bundles/lazy-functions.ts.
 */
export const functionRebuilder = (
  sources: readonly BundleSource[],
  { folder, codeDirectoryOf }: RebuildOptions,
): FunctionRebuilder => {
  const sourceMapFolder = join(folder, "source-maps");
  const contexts = new Map<string, Promise<BuildContext<ReturnType<typeof options>>>>();
  /** The files in each function's last bundle that compiled. */
  const inputs = new Map<string, Set<string>>();
  const sourceMaps = new Map<string, string>();
  let count = 0;

  const options = (source: BundleSource) => ({
    ...bundleOptions([source], { sourceMapFolder }),
    metafile: true as const,
  });

  const contextOf = (source: BundleSource) => {
    const known = contexts.get(source.name) ?? context(options(source));
    contexts.set(source.name, known);
    return known;
  };

  const build = async (source: BundleSource) => {
    const result = await (await contextOf(source)).rebuild();
    inputs.set(source.name, new Set(Object.keys(result.metafile.inputs)));
    return result;
  };

  const rebuildOne = async (source: BundleSource): Promise<RebuiltFunction | undefined> => {
    const { name } = source;
    const result = await build(source);
    const running = codeDirectoryOf(name);
    if (running === undefined) return undefined;

    count += 1;
    const codeDirectory = join(folder, "bundles", `${name}.${count}`);
    const { code, sourceMap } = bundleOf(result, name);
    // A function may have other files beside its code.
    await cp(running, codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), code);
    await mkdir(sourceMapFolder, { recursive: true });
    const sourceMapFile = join(sourceMapFolder, `${name}.js.map`);
    await writeFile(sourceMapFile, sourceMap);
    sourceMaps.set(name, sourceMapFile);
    return { name, codeDirectory };
  };

  return {
    async prepare() {
      await Promise.all(sources.map(build));
    },
    async rebuild(changedPaths) {
      const affected = sources.filter(({ name }) => changedPaths.some((path) => inputs.get(name)?.has(path) ?? true));
      const outcomes = await Promise.allSettled(affected.map(rebuildOne));
      if (outcomes.some(({ status }) => status === "rejected")) throw new Error("The change does not compile.");
      return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" && outcome.value ? [outcome.value] : []));
    },
    sourceMapOf: (functionName) => sourceMaps.get(functionName),
    async close() {
      const open = await Promise.all(contexts.values());
      await Promise.all(open.map((one) => one.dispose()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};
