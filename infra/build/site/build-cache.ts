import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectFolder } from "../project-folder.ts";
import type { SiteFile } from "./static-files.ts";

interface CachedBuild {
  /** The name of its folder in the cache. */
  name: string;
  /** The files and folders, relative to the project, that the result depends on. */
  inputs: readonly string[];
  build: () => Promise<SiteFile[]>;
}

/** The files that a build makes. The last result is reused if no byte of the inputs has changed. */
export const cachedBuild = async ({ name, inputs, build }: CachedBuild): Promise<SiteFile[]> => {
  const folder = join(projectFolder, "node_modules/.cache", name);
  const entry = `${await hashOf(inputs)}.json`;
  const cached = await read(join(folder, entry));
  if (cached) return cached;

  const files = await build();
  await mkdir(folder, { recursive: true });
  // Written under another name and renamed in one step, because several builds may run at the same time.
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
    const bytes = await readFile(join(projectFolder, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
};

/** The file itself, or all files of a folder and its subfolders. */
const filesOf = async (path: string): Promise<string[]> => {
  const found = await readdir(join(projectFolder, path), { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (!found) return [path];
  return found
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(projectFolder.length));
};
