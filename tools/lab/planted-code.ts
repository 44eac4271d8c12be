import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import type { Plugin } from "esbuild";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";

/** A change to the source code of the functions. */
export interface Replacement {
  /** The file to change. Default: all files in `lambdas/`. */
  file?: string;
  text: string;
  by: string;
}

/** The bugs that can be planted, by name. All replacements of a bug are applied together. */
export type Plants = Readonly<Record<string, readonly Replacement[]>>;

/**
 * Bundles functions with a planted bug.
 *
 * @param build bundles the functions with the plugin that plants the bug
 * @throws {Error} if the bundled sources no longer contain what the plant replaces
 */
export const buildWithPlant = async <Built>(
  plants: Plants,
  name: string,
  build: (plugin: Plugin) => Promise<Built>,
): Promise<Built> => {
  const replacements = plants[name];
  if (!replacements) throw new Error(`There is no plant ${name}.`);
  const missing = new Set(replacements);
  const built = await build(replacePlugin(replacements, missing));
  if (missing.size === 0) return built;
  const texts = [...missing].map(({ text }) => text).join("\n");
  throw new Error(`The sources no longer contain what the plant "${name}" replaces. Correct the plant:\n${texts}`);
};

/** Applies the replacements, and removes those that it applies from the list of missing ones. */
const replacePlugin = (replacements: readonly Replacement[], missing: Set<Replacement>): Plugin => ({
  name: "plant",
  setup(build) {
    build.onLoad({ filter: /[/\\]lambdas[/\\].*\.ts$/ }, async ({ path }) => {
      const file = relative(packageFolder, path).replaceAll("\\", "/");
      let contents = await readFile(path, "utf8");
      for (const replacement of replacements) {
        const { file: only = file, text, by } = replacement;
        if (only !== file || !contents.includes(text)) continue;
        contents = contents.replaceAll(text, by);
        missing.delete(replacement);
      }
      return { contents, loader: "ts" };
    });
  },
});
