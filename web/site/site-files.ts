import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encodings } from "../../lambdas/shared/http/encoding.ts";
import { compress, contentHash } from "../../lambdas/site/content.ts";
import { type StaticFiles, staticFilesTable, storedFile } from "../../lambdas/site/static-files.ts";

/** A file that the site function serves. */
export interface SiteFile {
  /** The path of the file, relative to the base URL. */
  path: string;
  contentType: string;
  bytes: Buffer;
  status?: number;
  /** The path changes with the content, so clients may cache the file forever. */
  isImmutable?: boolean;
  /** The file contains an example address, which the function replaces with the address of the service. */
  namesAddress?: boolean;
}

/** Adds a hash of the file's bytes to its path: `/page.js` becomes `/page.<hash>.js`. */
export const atHashedPath = (file: SiteFile): SiteFile => ({
  ...file,
  path: file.path.replace(/\.(\w+)$/, `.${contentHash(file.bytes)}.$1`),
  isImmutable: true,
});

/** Writes the files, their compressed forms and the table that the function reads into the function's folder. */
export const writeStaticFiles = async (files: SiteFile[], folder: string): Promise<void> => {
  await mkdir(join(folder, "files"), { recursive: true });
  const write = async ({ path, bytes, isImmutable = false, namesAddress = false, ...about }: SiteFile) => {
    const hash = contentHash(bytes);
    // The function compresses the files that it changes.
    const stored = namesAddress ? (["identity"] as const) : encodings;
    await Promise.all(
      stored.map(async (encoding) => writeFile(storedFile(folder, hash, encoding), await compress(bytes, encoding))),
    );
    return [path, { ...about, hash, isImmutable, namesAddress }];
  };
  const table: StaticFiles = Object.fromEntries(await Promise.all(files.map(write)));
  await writeFile(join(folder, staticFilesTable), JSON.stringify(table, null, 2));
};
