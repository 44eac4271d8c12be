import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type BuildOptions, type BuildResult, build, type OnResolveResult, type Plugin } from "esbuild";
import { storeNames } from "../../lambdas/domain/built-in-stores.ts";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";
import type { BundleSource } from "./assembly-files.ts";
import { trimSdkPlugin, wholeSdkPlugin } from "./trim-sdk.ts";

export interface BundleSettings {
  /** Leaves out the parts of the AWS SDK that no function uses. See docs/performance.md. */
  trimSdk?: boolean;
  /** Keeps the names in the code unshortened, so that the bundles of different functions have more text in common. */
  keepsNames?: boolean;
  /** The folder that the paths in the source map are relative to. */
  sourceMapFolder?: string;
}

/** Returns the esbuild options that bundle each function separately. Within one build, shared modules are parsed only once. */
export const bundleOptions = (
  sources: readonly BundleSource[],
  { trimSdk = true, keepsNames = false, sourceMapFolder = packageFolder }: BundleSettings = {},
) =>
  ({
    entryPoints: sources.map(({ name }) => ({ in: `${entryPrefix}${name}`, out: name })),
    bundle: true,
    write: false,
    outdir: sourceMapFolder,
    platform: "node",
    target: "node24",
    // Uses CommonJS, because an ES import of a built-in module evaluates all of the module's lazy getters, including undici's.
    format: "cjs",
    // For the same reason, the SDK's `import("node:http")` becomes a `require`.
    supported: { "dynamic-import": false },
    // esbuild can drop unused parts of the SDK's ES modules, but not of its CommonJS modules.
    mainFields: ["module", "main"],
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: !keepsNames,
    legalComments: "none",
    // Writes a separate file that the bundle does not refer to, so that the deployed bytes do not depend on it.
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "warning",
    plugins: [entryPlugin(sources), ...(trimSdk ? [wholeSdkPlugin(isOfApplication), trimSdkPlugin()] : [])],
  }) satisfies BuildOptions;

const isOfApplication = (file: string): boolean =>
  !file.includes("/node_modules/") && !file.startsWith(join(packageFolder, "lambdas"));

const entryPrefix = "function:";

/** Loads the entry module of each function, and links the modules that differ between functions. */
const entryPlugin = (sources: readonly BundleSource[]): Plugin => ({
  name: "entries",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${entryPrefix}`) }, ({ path }) => {
      const source = sources.find(({ name }) => path === entryPrefix + name);
      // Functions of the same kind share an entry module. The suffix tells them apart.
      return (
        source && { path: moduleFile(join(packageFolder, source.entry)), suffix: `?${source.name}`, pluginData: source }
      );
    });
    // Passes the source on to the modules that the entry module imports.
    onLoad({ filter: /\.[jt]s$/ }, async ({ path, suffix, pluginData }) =>
      suffix === ""
        ? undefined
        : { contents: await readFile(path, "utf8"), loader: path.endsWith(".ts") ? "ts" : "js", pluginData },
    );
    onResolve({ filter: /^#(endpoint|job)$/ }, ({ pluginData }) => {
      const { name }: BundleSource = pluginData;
      return { path: name, namespace: "endpoint", pluginData };
    });
    onLoad({ filter: /^/, namespace: "endpoint" }, ({ pluginData }) => {
      const { endpoint }: BundleSource = pluginData;
      return (
        endpoint && {
          contents: reexport(endpoint.file, `${endpoint.name} as endpoint, ${endpoint.name} as job`),
          resolveDir: packageFolder,
        }
      );
    });
    onResolve({ filter: /^#body$/ }, ({ pluginData }) => {
      const { takesJson }: BundleSource = pluginData;
      return linked(`lambdas/middlewares/read-${takesJson ? "json" : "form"}`);
    });
    onResolve({ filter: /^#words$/ }, ({ pluginData }) => {
      const { needsWords }: BundleSource = pluginData;
      return linked(`lambdas/shared/validation/${needsWords ? "issue" : "basic"}-words`);
    });
    onResolve({ filter: /^#transaction$/ }, ({ pluginData }) => {
      const { hasTransaction }: BundleSource = pluginData;
      return hasTransaction ? linked("lambdas/dynamodb/transaction") : absent("transactionOn");
    });
    onResolve({ filter: /^#changes$/ }, ({ pluginData }) => {
      const { hasChanges }: BundleSource = pluginData;
      return hasChanges ? linked("lambdas/dynamodb/change-feed") : absent("changesOn");
    });
    onResolve({ filter: /^#values$/ }, ({ pluginData }) => {
      const { reads }: BundleSource = pluginData;
      return reads ? linked(`lambdas/endpoint/read-${reads}`) : absent("withValues");
    });
    onLoad({ filter: /^/, namespace: "none" }, ({ path }) => ({ contents: `export const ${path} = undefined;` }));
    onResolve({ filter: /^#renderer$/ }, ({ pluginData }) => {
      const { rendersMore }: BundleSource = pluginData;
      return linked(`lambdas/endpoint/render-${rendersMore ? "full-" : ""}response`);
    });
    onResolve({ filter: /^#settings$/ }, ({ pluginData }) => {
      const { name }: BundleSource = pluginData;
      return { path: name, namespace: "settings", pluginData };
    });
    onLoad({ filter: /^/, namespace: "settings" }, ({ pluginData }) => {
      const { settings }: BundleSource = pluginData;
      return { contents: JSON.stringify(settings), loader: "json" };
    });
    onResolve({ filter: /^#tables$/ }, ({ pluginData }) => {
      const { stores }: BundleSource = pluginData;
      return { path: stores?.join() ?? "all", namespace: "tables", pluginData };
    });
    onLoad({ filter: /^/, namespace: "tables" }, ({ pluginData }) => {
      const { stores = storeNames }: BundleSource = pluginData;
      // The tables of an application are declared with its endpoints.
      const ofPackage = storeNames.filter((name) => stores.includes(name));
      return { contents: reexport(tablesFile, ofPackage.join(", ")), resolveDir: packageFolder };
    });
  },
});

/**
 * Returns a module of the package. Other modules import some of these modules too. Without `sideEffects`, what esbuild knows of such
 * a module depends on which import it meets first, and two builds may choose different short names.
 */
const linked = (path: string): OnResolveResult => ({
  path: moduleFile(join(packageFolder, path)),
  sideEffects: false,
});

/** Returns a module whose export of this name is `undefined`. */
const absent = (name: string): OnResolveResult => ({ path: name, namespace: "none" });

/** Returns the source of a module that re-exports only some exports of another module. */
const reexport = (file: string, names: string): string =>
  `export { ${names} } from ${JSON.stringify(moduleFile(file))};`;

/** Adds the suffix to the path of a module: TypeScript in this project and in applications, JavaScript in the built package. */
const moduleFile = (path: string): string => (existsSync(`${path}.ts`) ? `${path}.ts` : `${path}.js`);

const tablesFile = join(packageFolder, "lambdas/domain/tables");

/** The code of a function, with its source map. */
export interface Bundle {
  /** The name of the function. */
  name: string;
  code: Uint8Array;
  sourceMap: Uint8Array;
}

/** In a build, esbuild needs about 17 MB for each bundle. */
const bundlesInBuild = 32;

/** Bundles functions together with everything that they import. Splits the work into several builds to limit memory use. */
export const bundleEntries = async (sources: readonly BundleSource[], settings?: BundleSettings): Promise<Bundle[]> => {
  const [now, later] = [sources.slice(0, bundlesInBuild), sources.slice(bundlesInBuild)];
  if (now.length === 0) return [];
  const bundles = bundlesIn(await build(bundleOptions(now, settings)), now);
  return [...bundles, ...(await bundleEntries(later, settings))];
};

/** Bundles a single function. */
export const bundleEntry = async (source: BundleSource, settings?: BundleSettings): Promise<Bundle> => {
  const [bundle] = await bundleEntries([source], settings);
  if (!bundle) throw new Error(`${source.name} has not been bundled.`);
  return bundle;
};

/** Returns the bundles in the output of a build with `bundleOptions`. */
export const bundlesIn = ({ outputFiles = [] }: BuildResult, sources: readonly BundleSource[]): Bundle[] => {
  const contentsOf = (file: string): Uint8Array => {
    const found = outputFiles.find(({ path }) => basename(path) === file);
    if (!found) throw new Error(`esbuild has written no file ${file}.`);
    return found.contents;
  };
  return sources.map(({ name }) => {
    return { name, code: contentsOf(`${name}.js`), sourceMap: contentsOf(`${name}.js.map`) };
  });
};
