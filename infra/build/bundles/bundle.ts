import { basename, join } from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";
import { projectFolder } from "../project-folder.ts";
import { trimSdkPlugin } from "../trim-sdk.ts";
import { withLazyFunctions } from "./lazy-functions.ts";

/** A function's code before it is bundled. */
export interface BundleSource {
  name: string;
  /** The TypeScript module that exports `handler`, as text. Its imports are relative to the project. */
  entry: string;
}

/** The code of a function and the map from it to the sources. */
export interface Bundle {
  code: Uint8Array;
  sourceMap: Uint8Array;
}

export interface BundleSettings {
  /** Leaves out the parts of the AWS SDK that no function uses: see docs/sdk-trimming.md. */
  trimSdk?: boolean;
  /** Run before the trimming. */
  plugins?: Plugin[];
  /** The folder that the paths in the source map are relative to. */
  sourceMapFolder?: string;
}

/** The esbuild options that bundle each function separately. Within one build, shared modules are parsed only once. */
export const bundleOptions = (
  sources: readonly BundleSource[],
  { trimSdk = true, plugins = [], sourceMapFolder = projectFolder }: BundleSettings = {},
) =>
  ({
    entryPoints: sources.map(({ name }) => ({ in: `${entryPrefix}${name}`, out: name })),
    bundle: true,
    write: false,
    outdir: sourceMapFolder,
    platform: "node",
    target: "node24",
    // CommonJS, because an ES import of a built-in module reads all of its lazy getters, undici's among them.
    format: "cjs",
    // For the same reason, the SDK's `import("node:http")` becomes a `require`.
    supported: { "dynamic-import": false },
    // esbuild can drop unused parts of the SDK's ES modules, but not of its CommonJS modules.
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    // A separate file, to which the bundle has no reference: the deployed bytes do not depend on it.
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "warning",
    plugins: [entryPlugin(sources), ...plugins, ...(trimSdk ? [trimSdkPlugin()] : [])],
  }) satisfies BuildOptions;

const entryPrefix = "function:";

/** Loads the entry modules of the bundles from their texts, as if they were files in the project's folder. */
const entryPlugin = (sources: readonly BundleSource[]): Plugin => ({
  name: "entries",
  setup({ onResolve, onLoad }) {
    const entries = new Map(sources.map(({ name, entry }) => [join(projectFolder, `${name}.ts`), entry]));
    onResolve({ filter: new RegExp(`^${entryPrefix}`) }, ({ path }) => ({
      path: join(projectFolder, `${path.slice(entryPrefix.length)}.ts`),
    }));
    const names = sources.map(({ name }) => RegExp.escape(name)).join("|");
    onLoad({ filter: new RegExp(`[\\\\/](?:${names})\\.ts$`) }, ({ path }) => {
      const contents = entries.get(path);
      return contents === undefined ? undefined : { contents, resolveDir: projectFolder, loader: "ts" };
    });
  },
});

interface BundleEntrySettings extends BundleSettings {
  /** Whether to let V8 parse functions only when they are called: see docs/decisions/fast-functions.md. */
  lazyFunctions?: boolean;
}

export interface NamedBundle extends Bundle {
  /** The name of the module that it starts from. */
  name: string;
}

/** Bundles modules, given as their texts, each with everything that it imports. */
export const bundleEntries = async (
  sources: readonly BundleSource[],
  { lazyFunctions = true, ...settings }: BundleEntrySettings = {},
): Promise<NamedBundle[]> => {
  const bundles = bundlesIn(await build(bundleOptions(sources, settings)), sources);
  return lazyFunctions ? bundles.map((bundle) => ({ ...bundle, ...withLazyFunctions(bundle) })) : bundles;
};

/** Bundles a single module. */
export const bundleEntry = async (source: BundleSource, settings?: BundleEntrySettings): Promise<Bundle> => {
  const [bundle] = await bundleEntries([source], settings);
  if (!bundle) throw new Error(`${source.name} has not been bundled.`);
  return bundle;
};

/** The bundles in the output of a build with `bundleOptions`. */
export const bundlesIn = ({ outputFiles = [] }: BuildResult, sources: readonly BundleSource[]): NamedBundle[] => {
  const contentsOf = (file: string): Uint8Array => {
    const found = outputFiles.find(({ path }) => basename(path) === file);
    if (!found) throw new Error(`esbuild has written no file ${file}.`);
    return found.contents;
  };
  return sources.map(({ name }) => {
    return { name, code: contentsOf(`${name}.js`), sourceMap: contentsOf(`${name}.js.map`) };
  });
};
