import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Content, oncePerEncoding } from "./content.ts";
import type { Encoding } from "./encoding.ts";

/**
 * The files that were put into the function's folder when it was bundled, by the path that they are served at. In the folder
 * `files` each has its hash for a name, with an ending where it is compressed.
 */
export type StaticFiles = Readonly<Record<string, Omit<Content, "bytes">>>;

/** The table of the static files, in the function's folder. */
export const staticFilesTable = "site.json";

const endings: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz", identity: "" };

/** Where the bytes of a file are kept in the function's folder. */
export const storedFile = (folder: string, hash: string, encoding: Encoding): string =>
  join(folder, "files", hash + endings[encoding]);

/**
 * Reads the table, whole and once. What is not in it leads to no file, so no request can reach any other file.
 *
 * @throws {Error} if there is no table, so that the function fails at its start.
 */
export const readStaticFiles = (folder: string): ReadonlyMap<string, Content> => {
  const table: StaticFiles = JSON.parse(readFileSync(join(folder, staticFilesTable), "utf8"));
  return new Map(
    Object.entries(table).map(([path, file]) => [
      path,
      { ...file, bytes: oncePerEncoding((encoding) => readFile(storedFile(folder, file.hash, encoding))) },
    ]),
  );
};
