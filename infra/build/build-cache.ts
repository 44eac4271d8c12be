import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteFile } from "./static-files.ts";

interface CachedBuild {
  /** Names the build, and its folder in the cache. */
  name: string;
  /** Files and folders, from the top of the project, that decide what comes of the build. */
  inputs: readonly string[];
  build: () => Promise<SiteFile[]>;
}

const project = fileURLToPath(new URL("../..", import.meta.url));

/** The files of a build; those of the last one, if every byte of its inputs is still the same. */
export const cachedBuild = async ({ name, inputs, build }: CachedBuild): Promise<SiteFile[]> => {
  const folder = join(project, "node_modules/.cache", name);
  const entry = `${await hashOf(inputs)}.json`;
  const known = await read(join(folder, entry));
  if (known) return known;

  const files = await build();
  await mkdir(folder, { recursive: true });
  // Written elsewhere and moved in one step: several builds may go on at the same time.
  const draft = join(folder, `${randomUUID()}.draft`);
  await writeFile(draft, JSON.stringify(files.map((file) => ({ ...file, bytes: file.bytes.toString("base64") }))));
  await rename(draft, join(folder, entry));
  const older = (await readdir(folder)).filter((file) => file.endsWith(".json") && file !== entry);
  await Promise.all(older.map((file) => rm(join(folder, file), { force: true })));
  return files;
};

const read = async (path: string): Promise<SiteFile[] | undefined> => {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const files: (Omit<SiteFile, "bytes"> & { bytes: string })[] = JSON.parse(text);
  return files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes, "base64") }));
};

const hashOf = async (inputs: readonly string[]): Promise<string> => {
  const paths = (await Promise.all(inputs.map(filesOf))).flat().sort();
  const hash = createHash("sha256");
  for (const path of paths) {
    const bytes = await readFile(join(project, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
};

/** A file, or the files of a folder and its folders. */
const filesOf = async (path: string): Promise<string[]> => {
  const found = await readdir(join(project, path), { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (!found) return [path];
  return found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name).slice(project.length));
};
