import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, readBundleSource } from "../infra/bundles/assembly-files.ts";

export interface FunctionLoader {
  /** Builds something, so that the first call does not have to wait until esbuild is loaded and warm. */
  prepare: () => Promise<void>;
  /** Bundles a function whose code is not in the assembly, and returns the folder with the code. */
  makeCode: (functionName: string, assemblyCode: string) => Promise<string | undefined>;
  /** Returns the source map of a function that has been bundled. */
  sourceMapOf: (functionName: string) => string | undefined;
  /** Waits until no function is being bundled. */
  settled: () => Promise<unknown>;
}

/**
 * Bundles functions when they are first called, with the same options as a deployment. With hundreds of endpoints, a start
 * therefore takes no more time or memory than with ten.
 */
export const functionLoader = async (folder: string): Promise<FunctionLoader> => {
  await rm(folder, { recursive: true, force: true });
  const sourceMaps = new Map<string, string>();
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Loads esbuild, which the archive of a release lacks. */
  const loadBundler = () => import("../infra/bundles/bundle.ts");

  const bundle = async (name: string, assemblyCode: string): Promise<string> => {
    const { bundleEntry } = await loadBundler();
    const { code, sourceMap } = await bundleEntry(await readBundleSource(assemblyCode), { sourceMapFolder: folder });
    count += 1;
    const codeDirectory = join(folder, `${name}.${count}`);
    await mkdir(codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), code);
    const sourceMapFile = join(folder, `${name}.${count}.js.map`);
    await writeFile(sourceMapFile, sourceMap);
    sourceMaps.set(name, sourceMapFile);
    return codeDirectory;
  };

  return {
    async prepare() {
      // The first build of a process takes half as long again. If it fails, so does the first call, which says why.
      await loadBundler()
        .then(({ bundleEntry }) => bundleEntry({ name: "warm-up", entry: "lambdas/dynamodb/client/client" }))
        .catch(() => undefined);
    },
    async makeCode(name, assemblyCode) {
      if (hasCode(assemblyCode)) return undefined;
      // Builds run one after another. Otherwise, a page that makes many calls at once would need the memory of as many builds.
      const made = last.then(() => bundle(name, assemblyCode));
      // A failed build is reported to its own caller, and must not prevent the next build.
      last = made.catch(() => undefined);
      return made;
    },
    sourceMapOf: (name) => sourceMaps.get(name),
    settled: () => last,
  };
};
