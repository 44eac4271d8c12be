import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { type BundleSource, bundleEntry } from "../../infra/build/bundles/bundle.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";

/** One way to do the job, bundled: the file that serves each method. */
export interface Contender {
  name: string;
  files: Record<"GET" | "POST", string>;
  kilobytes: number;
}

export const floorName = "The floor";
export const oursName = "This service";

/** The floor, and this service with the bundles that are deployed. `plugins` change both. */
export const bundleContenders = async (folder: string, plugins: Plugin[] = []): Promise<Contender[]> => {
  await mkdir(folder, { recursive: true });
  const bundle = async (source: BundleSource | undefined, settings = {}) => {
    if (!source) throw new Error("A function to measure is missing.");
    const { code } = await bundleEntry(source, { plugins, ...settings });
    const file = join(folder, `${source.name}.js`);
    await writeFile(file, code);
    return { file, kilobytes: code.length / 1000 };
  };
  const functions = functionsOf(api);
  const ours = (functionName: string) => bundle(functions.find(({ name }) => name === functionName));
  const floor = { name: "floor", entry: "tools/bench/floor/handler" };
  const bare = await bundle(floor, { trimSdk: false, lazyFunctions: false });
  const [get, post] = [await ours("v1-list-keys"), await ours("v1-create-key")];
  return [
    { name: floorName, files: { GET: bare.file, POST: bare.file }, kilobytes: bare.kilobytes },
    { name: oursName, files: { GET: get.file, POST: post.file }, kilobytes: get.kilobytes },
  ];
};

/** Replaces the stores of both contenders with stores that respond from memory. */
export const memoryStores: Plugin = {
  name: "memory-stores",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(create-)?stores\.ts$/ }, ({ path, importer }) => {
      const isService = importer.includes("/lambdas/functions/") && path === "./create-stores.ts";
      const isFloor = importer.includes("/bench/floor/") && path === "./stores.ts";
      return isService || isFloor
        ? { path: fileURLToPath(new URL("floor/memory-stores.ts", import.meta.url)) }
        : undefined;
    });
  },
};
