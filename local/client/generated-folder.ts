import { existsSync } from "node:fs";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, normalize, relative, sep } from "node:path";
import { codeOf, LocalError } from "cdk-local-runner";
import * as z from "zod/mini";
import { namesIn, textIn } from "../existing-files.ts";
import type { ClientFiles } from "./client-files.ts";

/** A folder that contains a client. */
interface Place {
  folder: string;
  /** The folder as the user has named it. */
  shown: string;
  /** The command that writes the client. */
  generator: string;
}

/** Lists the files of a client, so that the next run can replace them. */
const listFile = "generated-files.json";

const insideFolder = z
  .string()
  .check(z.refine((name) => normalize(name) === name && name !== "." && !/^(\/|\.\.)/.test(name)));

const listSchema = z.pipe(
  z.transform((text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }),
  z.object({ generator: z.string(), files: z.array(insideFolder) }),
);

/**
 * Returns the files that an earlier run wrote into a folder.
 *
 * @throws {LocalError} if the folder contains anything that is not a client in the same language.
 */
export const earlierFiles = async ({ folder, shown, generator }: Place): Promise<string[]> => {
  if ((await namesIn(folder, shown)).length === 0) return [];
  const { data } = listSchema.safeParse(await textIn(join(folder, listFile)));
  if (data?.generator === generator) return data.files;
  throw new LocalError(`${shown} contains other files. Name a new folder.`);
};

/**
 * Writes the files of a client into a folder, and removes those of an earlier run that it no longer has.
 *
 * @throws {LocalError} if this would replace a file that no earlier run wrote
 */
export const replaceFiles = async (
  { folder, shown, generator }: Place,
  earlier: readonly string[],
  files: ClientFiles,
): Promise<void> => {
  const names = Object.keys(files);
  const writeList = (listed: readonly string[]) => {
    const list = { generator, files: [...new Set(listed)].toSorted() };
    return writeFile(join(folder, listFile), `${JSON.stringify(list, undefined, 2)}\n`);
  };
  await mkdir(folder, { recursive: true });
  const foreign = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, "/"))
    .filter((name) => !earlier.includes(name) && names.some((other) => isInTheWay(name, other)));
  if (foreign.length > 0) {
    throw new LocalError(`${shown} contains ${foreign.join(", ")}, which this command did not write. Move it away.`);
  }
  // The run after an interrupted one finds every file that this one may have written.
  await writeList([...earlier, ...names]);
  // A file may have the name of an earlier folder, and an owner may have put a link instead of a file. Files in a folder come
  // first, because an interrupted run may have listed both.
  for (const name of earlier.toSorted().toReversed()) await remove(folder, name);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: basename(name) === "command.mjs" ? 0o755 : 0o644 });
  }
  await writeList(names);
};

/** Checks whether a file must go before another one can be written: it is the same, one of its folders, or inside it. */
const isInTheWay = (name: string, other: string): boolean =>
  name === other || other.startsWith(`${name}/`) || name.startsWith(`${other}/`);

/** Removes a file, and the folders that are empty without it. */
const remove = async (folder: string, name: string): Promise<void> => {
  await rm(join(folder, name), { force: true }).catch((error) => {
    // A file may have taken the place of its folder.
    if (codeOf(error) !== "ENOTDIR") throw error;
  });
  for (let parent = dirname(name); parent !== "."; parent = dirname(parent)) {
    if (!existsSync(join(folder, parent)) || (await namesIn(join(folder, parent), parent)).length > 0) return;
    await rmdir(join(folder, parent));
  }
};
