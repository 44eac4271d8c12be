import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundledFunctionsFile } from "../../infra/build/bundles/assembly-files.ts";

/**
 * Whether two cloud assemblies have the same templates, apart from the code of their functions: the hashes of assets, and the
 * ids of function versions, which contain a hash of the code.
 */
export const haveSameTemplates = async (one: string, other: string): Promise<boolean> =>
  (await templatesOf(one)) === (await templatesOf(other));

/**
 * Whether the functions of two cloud assemblies start from the same code. Some declarations, such as the end of a
 * version, appear in that code only.
 */
export const haveSameEntries = async (one: string, other: string): Promise<boolean> =>
  (await entriesOf(one)) === (await entriesOf(other));

const templatesOf = async (assemblyDirectory: string): Promise<string> => {
  const files = (await readdir(assemblyDirectory)).filter((file) => file.endsWith(".template.json")).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(assemblyDirectory, file), "utf8")));
  return texts.join("\n").replaceAll(codeHash, "hash");
};

const codeHash = /(?<=CurrentVersion[0-9A-F]{8})[0-9a-f]{32}|[0-9a-f]{64}/g;

const entriesOf = (assemblyDirectory: string): Promise<string> =>
  readFile(join(assemblyDirectory, bundledFunctionsFile), "utf8");
