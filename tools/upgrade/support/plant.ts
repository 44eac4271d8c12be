import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { LocalService } from "cdk-local-runner";
import type { Plugin } from "esbuild";
import * as z from "zod/mini";
import { bundledFunctionsFile } from "../../../infra/build/bundles/assembly-files.ts";
import { bundleEntry } from "../../../infra/build/bundles/bundle-entry.ts";
import type { BundleSource } from "../../../infra/build/bundles/bundle-options.ts";
import { projectFolder } from "../../../infra/build/project-folder.ts";
import { type PlantName, plants, type Replacement } from "./plants.ts";

const sourcesSchema = z.array(z.object({ name: z.string(), entry: z.string() }));

interface PlantOptions {
  assemblyDirectory: string;
  /** Where the changed functions are written. */
  directory: string;
}

/** Changes the code of a running service. Only functions that contain a changed file get new code. */
export const plant = async (
  service: Pick<LocalService, "replaceCode">,
  name: PlantName,
  { assemblyDirectory, directory }: PlantOptions,
): Promise<void> => {
  const sources = sourcesSchema.parse(
    JSON.parse(await readFile(join(assemblyDirectory, bundledFunctionsFile), "utf8")),
  );
  const missing = new Set<Replacement>(plants[name]);
  const plantIn = async (source: BundleSource): Promise<void> => {
    const replaced = new Set<Replacement>();
    const { code } = await bundleEntry(source, { plugins: [replacePlugin(plants[name], replaced)] });
    if (replaced.size === 0) return;
    const codeDirectory = join(directory, source.name);
    await mkdir(codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), code);
    service.replaceCode(source.name, codeDirectory);
    for (const one of replaced) missing.delete(one);
  };
  await Promise.all(sources.map(plantIn));
  if (missing.size > 0) {
    const texts = [...missing].map(({ text }) => text).join("\n");
    throw new Error(`The sources no longer contain what the plant ${name} replaces. Correct the plant:\n${texts}`);
  }
};

const replacePlugin = (replacements: readonly Replacement[], replaced: Set<Replacement>): Plugin => ({
  name: "plant",
  setup(build) {
    build.onLoad({ filter: /[/\\]lambdas[/\\].*\.ts$/ }, async ({ path }) => {
      const file = relative(projectFolder, path).replaceAll("\\", "/");
      let contents = await readFile(path, "utf8");
      for (const replacement of replacements) {
        const { file: only = file, text, by } = replacement;
        if (only !== file || !contents.includes(text)) continue;
        contents = contents.replaceAll(text, by);
        replaced.add(replacement);
      }
      return { contents, loader: "ts" };
    });
  },
});
