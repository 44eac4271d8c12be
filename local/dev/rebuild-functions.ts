import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { context } from "esbuild";
import { type BundleSource, hasCode } from "../../infra/bundles/assembly-files.ts";
import { type Bundle, bundleOptions, bundlesIn } from "../../infra/bundles/bundle.ts";

interface RebuildOptions {
  /** The folder for new bundles and their source maps. */
  folder: string;
  /** Returns the folder from which a function's code is currently loaded. */
  codeDirectoryOf: (functionName: string) => string | undefined;
}

/** A function and the folder of its new bundle. */
export interface RebuiltFunction {
  name: string;
  codeDirectory: string;
}

export interface FunctionRebuilder {
  /** Builds the functions that have code once, so that later builds are fast and can tell which functions a change affects. */
  prepare: () => Promise<void>;
  /**
   * Rebuilds the functions that have code. Returns those whose code has changed since the last build that compiled.
   *
   * @throws {Error} if a function does not compile, after esbuild has reported why.
   */
  rebuild: () => Promise<RebuiltFunction[]>;
  /** Makes the next build return all functions, because the running functions may differ from those of the last build. */
  forget: () => void;
  /** Returns the source map of a function's latest bundle, or `undefined` until the function has been rebuilt. */
  sourceMapOf: (functionName: string) => string | undefined;
  close: () => Promise<void>;
}

/** Keeps an incremental build of all functions, with the same options as a deployment. */
export const functionRebuilder = async (
  sources: readonly BundleSource[],
  { folder, codeDirectoryOf }: RebuildOptions,
): Promise<FunctionRebuilder> => {
  const sourceMapFolder = join(folder, "source-maps");
  // Separate builds would be faster after a change to one endpoint, but would take seconds after a change to a middleware.
  const contextOf = (some: readonly BundleSource[]) => context(bundleOptions(some, { sourceMapFolder }));
  let included: readonly BundleSource[] = [];
  let functions = await contextOf(included);
  /** The last bundle of each function. */
  const built = new Map<string, Bundle>();
  const sourceMaps = new Map<string, string>();
  let count = 0;

  /** Adds the functions that have been called, and those whose code is in the assembly. */
  const include = async (): Promise<void> => {
    const next = sources.filter(({ name }) => hasCode(codeDirectoryOf(name) ?? ""));
    if (next.length === included.length) return;
    await functions.dispose();
    included = next;
    functions = await contextOf(included);
  };

  /** Builds the functions, and returns those whose code has changed. */
  const build = async (): Promise<Bundle[]> => {
    await include();
    const changed = bundlesIn(await functions.rebuild(), included).filter(
      (bundle) => !isSame(bundle, built.get(bundle.name)),
    );
    for (const bundle of changed) built.set(bundle.name, bundle);
    return changed;
  };

  const write = async ({ name, code, sourceMap }: Bundle): Promise<RebuiltFunction | undefined> => {
    const running = codeDirectoryOf(name);
    if (running === undefined) return undefined;

    count += 1;
    const codeDirectory = join(folder, "bundles", `${name}.${count}`);
    // A function may have other files besides its code.
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
      await build();
    },
    async rebuild() {
      const changed = await build().catch((cause: unknown) => {
        throw new Error("The change does not compile.", { cause });
      });
      const rebuilt = await Promise.all(changed.map(write));
      return rebuilt.filter((one) => one !== undefined);
    },
    forget: () => built.clear(),
    sourceMapOf: (functionName) => sourceMaps.get(functionName),
    async close() {
      await functions.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const isSame = (one: Bundle, other: Bundle | undefined): boolean =>
  other !== undefined &&
  Buffer.compare(one.code, other.code) === 0 &&
  Buffer.compare(one.sourceMap, other.sourceMap) === 0;
