import { type BuildResult, build } from "esbuild";
import { type BundleSettings, type BundleSource, bundleOptions } from "./bundle-options.ts";
import { withLazyFunctions } from "./lazy-functions.ts";

interface BundleEntrySettings extends BundleSettings {
  /** Whether to let V8 parse functions only when they are called: see docs/decisions/fast-functions.md. */
  lazyFunctions?: boolean;
}

/** The code of a function and the map from it to the sources. */
export interface Bundle {
  code: Uint8Array;
  sourceMap: Uint8Array;
}

/** Bundles a module, given as its text, with everything that it imports. */
export const bundleEntry = async (
  source: BundleSource,
  { lazyFunctions = true, ...settings }: BundleEntrySettings = {},
): Promise<Bundle> => {
  const bundle = bundleOf(await build(bundleOptions(source, settings)));
  return lazyFunctions ? withLazyFunctions(bundle) : bundle;
};

/** The output of a build with `bundleOptions`. */
export const bundleOf = ({ outputFiles = [] }: BuildResult): Bundle => {
  const contentsOf = (ending: string): Uint8Array => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending));
    if (!file) throw new Error(`esbuild has written no file that ends in ${ending}.`);
    return file.contents;
  };
  return { code: contentsOf(".js"), sourceMap: contentsOf(".js.map") };
};
