import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { LocalService } from "cdk-local-runner";
import type { Plugin } from "esbuild";
import { bundleFolderOf, readBundleSources } from "../../../infra/build/bundles/assembly-files.ts";
import { bundleEntries } from "../../../infra/build/bundles/bundle.ts";
import { projectFolder } from "../../../infra/build/project-folder.ts";
import { type PlantName, plants, type Replacement } from "./plants.ts";

interface PlantOptions {
  assemblyDirectory: string;
  /** Where the changed functions are written. */
  directory: string;
}

/** Changes the code of a running service. Only functions whose bundles differ get new code. */
export const plant = async (
  service: Pick<LocalService, "replaceCode">,
  name: PlantName,
  { assemblyDirectory, directory }: PlantOptions,
): Promise<void> => {
  const sources = await readBundleSources(assemblyDirectory);
  const missing = new Set<Replacement>(plants[name]);
  for (const bundle of await bundleEntries(sources, { plugins: [replacePlugin(plants[name], missing)] })) {
    const deployed = await readFile(join(bundleFolderOf(assemblyDirectory, bundle.name), "index.js"));
    if (deployed.equals(bundle.code)) continue;
    const codeDirectory = join(directory, bundle.name);
    await mkdir(codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), bundle.code);
    service.replaceCode(bundle.name, codeDirectory);
  }
  if (missing.size > 0) {
    const texts = [...missing].map(({ text }) => text).join("\n");
    throw new Error(`The sources no longer contain what the plant ${name} replaces. Correct the plant:\n${texts}`);
  }
};

/** Replaces the texts, and removes those that it finds from the list of missing ones. */
const replacePlugin = (replacements: readonly Replacement[], missing: Set<Replacement>): Plugin => ({
  name: "plant",
  setup(build) {
    build.onLoad({ filter: /[/\\]lambdas[/\\].*\.ts$/ }, async ({ path }) => {
      const file = relative(projectFolder, path).replaceAll("\\", "/");
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
