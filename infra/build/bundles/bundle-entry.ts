import { basename } from "node:path";
import { type BuildResult, build } from "esbuild";
import { type Bundle, type BundleSettings, type BundleSource, bundleOptions } from "./bundle-options.ts";
import { withLazyFunctions } from "./lazy-functions.ts";

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
