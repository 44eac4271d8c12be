import { createHash, randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Service } from "../../lambdas/declaration/service.ts";
import { addresses, pagePathsFor } from "../../lambdas/shared/addresses.ts";
import { packageFolder, serviceFolder } from "../../lambdas/shared/project-folder.ts";
import type { SiteFile } from "./site-files.ts";

/** The path of the prebuilt web interface in the package. It does not exist in this project. */
export const builtWebInterface = "web/interface.json";

/** Builds the web interface with Vite and returns its files. All file names except the document's contain a hash of the content. */
export const webInterface = async ({
  title,
  tables,
  records,
}: Pick<Service, "title" | "tables" | "records">): Promise<SiteFile[]> =>
  (await builtFiles()).flatMap((file) => {
    if (file.path !== addresses.tokens) return [file];
    const bytes = Buffer.from(String(file.bytes).replace(/(?<=<title>).*(?=<\/title>)/, () => title));
    return pagePathsFor(Object.keys(tables), Object.keys(records)).map((path) => ({ ...file, path, bytes }));
  });

/** Returns the files in the form that is the same for every service. */
export const builtFiles = async (): Promise<SiteFile[]> =>
  (await read(join(packageFolder, builtWebInterface))) ??
  cachedBuild({
    name: "web-interface",
    // Includes what the pages share with the service and with the guide.
    inputs: ["web", "docs/guide/workloads.md", ...["admin", "domain", "shared"].map((folder) => `lambdas/${folder}`)],
    build: buildWithVite,
  });

const buildWithVite = async (): Promise<SiteFile[]> => {
  // Loading Vite takes a third of the build time.
  const { build } = await import("vite");
  const result = await build({
    root: join(packageFolder, "web/admin"),
    configLoader: "native",
    logLevel: "warn",
    build: { write: false },
  });
  if (Array.isArray(result) || !("output" in result)) throw new Error("Vite has not built exactly one set of files.");
  return result.output.map((file) =>
    siteFile(file.fileName, Buffer.from(file.type === "chunk" ? file.code : file.source)),
  );
};

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  md: "text/plain; charset=utf-8",
};

const siteFile = (name: string, bytes: Buffer): SiteFile => {
  if (name === "index.html") return { path: addresses.tokens, contentType: "text/html; charset=utf-8", bytes };
  const contentType = contentTypes[name.split(".").at(-1) ?? ""];
  if (contentType === undefined)
    throw new Error(`The content type of ${name}, a file of the web interface, is unknown.`);
  return { path: `/${name}`, contentType, bytes, isImmutable: !name.endsWith(".md") };
};

interface CachedBuild {
  /** The name of the folder in the cache. */
  name: string;
  /** The files and folders that the result depends on, relative to the project. */
  inputs: readonly string[];
  /** Additional text that the result depends on. */
  about?: string;
  build: () => Promise<SiteFile[]>;
}

/** Returns the files that a build produces. Reuses the last result if the inputs have not changed. */
export const cachedBuild = async ({ name, inputs, about = "", build }: CachedBuild): Promise<SiteFile[]> => {
  const folder = join(serviceFolder, "node_modules/.cache", name);
  const entry = `${await hashOf(inputs, about)}.json`;
  const cached = await read(join(folder, entry));
  if (cached) return cached;

  const files = await build();
  await mkdir(folder, { recursive: true });
  // Written under another name and then renamed in one step, because several builds may run at the same time.
  const draft = join(folder, `${randomUUID()}.draft`);
  await writeFile(draft, formatFiles(files));
  await rename(draft, join(folder, entry));
  const older = (await readdir(folder)).filter((file) => file.endsWith(".json") && file !== entry);
  await Promise.all(older.map((file) => rm(join(folder, file), { force: true })));
  return files;
};

export const formatFiles = (files: readonly SiteFile[]): string =>
  JSON.stringify(files.map((file) => ({ ...file, bytes: file.bytes.toString("base64") })));

const read = async (path: string): Promise<SiteFile[] | undefined> => {
  // Another build may remove the file at any time.
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const files: (Omit<SiteFile, "bytes"> & { bytes: string })[] = JSON.parse(text);
  return files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes, "base64") }));
};

const hashOf = async (inputs: readonly string[], about: string): Promise<string> => {
  // The version of each package is in one of the last two files. The built package has no lock file, and its modules have different
  // names.
  const existing = [...inputs, "package.json", "package-lock.json"].filter((path) =>
    existsSync(join(packageFolder, path)),
  );
  const paths = (await Promise.all(existing.map(filesOf))).flat().sort();
  const hash = createHash("sha256").update(about);
  for (const path of paths) {
    const bytes = await readFile(join(packageFolder, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
};

/** Returns the file itself, or all files in a folder and its subfolders. */
const filesOf = async (path: string): Promise<string[]> => {
  if (!statSync(join(packageFolder, path)).isDirectory()) return [path];
  const found = await readdir(join(packageFolder, path), { recursive: true, withFileTypes: true });
  return found
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(packageFolder.length));
};
