import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compress, contentHash } from "../../lambdas/functions/site/content.ts";
import { encodings } from "../../lambdas/functions/site/encoding.ts";
import { type StaticFiles, staticFilesTable, storedFile } from "../../lambdas/functions/site/static-files.ts";

/** A file for the site function to serve. */
export interface SiteFile {
  /** Where it is served, from the base URL. */
  path: string;
  contentType: string;
  bytes: Buffer;
  status?: number;
  isImmutable?: boolean;
}

/** The file at an address that changes with its bytes: `/page.js` becomes `/page.<hash>.js`. */
export const atHashedPath = (file: SiteFile): SiteFile => ({
  ...file,
  path: file.path.replace(/\.(\w+)$/, `.${contentHash(file.bytes)}.$1`),
  isImmutable: true,
});

/** Writes the files into a function's folder, compressed ones beside them, with the table that the function reads. */
export const writeStaticFiles = async (files: SiteFile[], folder: string): Promise<void> => {
  await mkdir(join(folder, "files"), { recursive: true });
  const write = async ({ path, bytes, isImmutable = false, ...about }: SiteFile) => {
    const hash = contentHash(bytes);
    await Promise.all(
      encodings.map(async (encoding) => writeFile(storedFile(folder, hash, encoding), await compress(bytes, encoding))),
    );
    return [path, { ...about, hash, isImmutable }];
  };
  const table: StaticFiles = Object.fromEntries(await Promise.all(files.map(write)));
  await writeFile(join(folder, staticFilesTable), JSON.stringify(table, null, 2));
};
