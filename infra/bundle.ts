import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { FunctionDeclaration } from "./functions.ts";

const projectFolder = fileURLToPath(new URL("..", import.meta.url));

export interface BundledFunction extends FunctionDeclaration {
  /** The folder of its bundle. */
  bundleFolder: string;
}

/**
 * Bundles each function into `<folder>/bundles/<name>/index.js`, with all that it needs, the AWS SDK included: the one that
 * was tested, and faster to load than the runtime's own.
 */
export const bundleFunctions = (functions: FunctionDeclaration[], folder: string): Promise<BundledFunction[]> =>
  Promise.all(
    functions.map(async (declaration) => {
      const bundleFolder = join(folder, "bundles", declaration.name);
      // What an earlier synthesis left here would be deployed too.
      await rm(bundleFolder, { recursive: true, force: true });
      await mkdir(bundleFolder, { recursive: true });
      await Promise.all([
        bundleEntry(declaration).then((code) => writeFile(join(bundleFolder, "index.js"), code)),
        declaration.writeFiles?.(bundleFolder),
      ]);
      return { ...declaration, bundleFolder };
    }),
  );

/** Bundles a module, given as its text, with all that it needs. */
export const bundleEntry = async (
  { name, entry }: Pick<FunctionDeclaration, "name" | "entry">,
  plugins: Plugin[] = [],
): Promise<Uint8Array> => {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: projectFolder, sourcefile: `${name}.ts`, loader: "ts" },
    plugins,
    bundle: true,
    write: false,
    platform: "node",
    target: "node24",
    // CommonJS, because an import of a built-in module as ESM reads its every lazy getter, undici's among them.
    format: "cjs",
    // The ES modules of the SDK can be cut down to what is used; its CommonJS ones cannot.
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild made nothing of the function ${name}.`);
  return output.contents;
};
