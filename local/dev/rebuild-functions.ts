import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { type BuildContext, context, type Metafile } from "esbuild";
import { type BundleSource, hasCode } from "../../infra/bundles/assembly-files.ts";
import { type Bundle, bundleOptions, bundlesIn } from "../../infra/bundles/bundle.ts";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";

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
   * Rebuilds the functions that contain one of the changed files. Returns those whose code has changed since the last build that
   * compiled.
   *
   * @throws {Error} if a function does not compile, after esbuild has reported why.
   */
  rebuild: (changedFiles: readonly string[]) => Promise<RebuiltFunction[]>;
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
  const contextOf = (some: readonly BundleSource[]) =>
    context({ ...bundleOptions(some, { sourceMapFolder }), metafile: true, absWorkingDir: packageFolder });
  let included: readonly BundleSource[] = [];
  let functions = await contextOf(included);
  /**
   * The functions that contain the files of the last change, built separately from all others. Building one endpoint alone takes
   * a third of the time. A build for each function would take seconds after a change to a middleware.
   */
  let edited: { names: string; context: BuildContext } | undefined;
  /** The modules of all builds. */
  const modules: Metafile["inputs"] = {};
  /** The last bundle of each function, and its entry module. */
  const built = new Map<string, Bundle & { entry: string }>();
  /** The changed files since the last build that compiled, relative to the package. */
  const pending = new Set<string>();
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

  /** Returns the functions that contain a changed file. Returns all functions if a changed file is unknown. */
  const affected = (): readonly BundleSource[] => {
    const isKnown = [...pending].every((file) => file in modules);
    if (!isKnown || included.some(({ name }) => !built.has(name))) return included;
    return included.filter(({ name }) => {
      const contained = modulesFrom(built.get(name)?.entry ?? "", modules);
      return [...pending].some((file) => contained.has(file));
    });
  };

  const contextFor = async (some: readonly BundleSource[]): Promise<BuildContext> => {
    if (some.length === included.length) return functions;
    const names = some.map(({ name }) => name).join();
    if (edited?.names === names) return edited.context;
    await edited?.context.dispose();
    edited = { names, context: await contextOf(some) };
    return edited.context;
  };

  /** Builds the functions that are affected, and returns those whose code has changed. */
  const build = async (): Promise<Bundle[]> => {
    await include();
    const some = affected();
    const result = await (await contextFor(some)).rebuild();
    pending.clear();
    const { inputs = {}, outputs = {} } = result.metafile ?? {};
    Object.assign(modules, inputs);
    const entries = new Map(Object.entries(outputs).map(([file, { entryPoint = "" }]) => [basename(file), entryPoint]));
    const changed = bundlesIn(result, some).filter((bundle) => !isSame(bundle, built.get(bundle.name)));
    for (const bundle of changed) built.set(bundle.name, { ...bundle, entry: entries.get(`${bundle.name}.js`) ?? "" });
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
    async rebuild(changedFiles) {
      for (const file of changedFiles) pending.add(relative(packageFolder, file));
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
      await edited?.context.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Returns a module and everything that it imports, directly or not. */
const modulesFrom = (entry: string, modules: Metafile["inputs"]): Set<string> => {
  const found = new Set([entry]);
  for (const module of found) for (const { path } of modules[module]?.imports ?? []) found.add(path);
  return found;
};

const isSame = (one: Bundle, other: Bundle | undefined): boolean =>
  other !== undefined &&
  Buffer.compare(one.code, other.code) === 0 &&
  Buffer.compare(one.sourceMap, other.sourceMap) === 0;
