import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { exampleAddress } from "../../addresses.ts";
import type { Encoding } from "../../http/encoding.ts";
import { type Content, compress, contentHash, oncePerEncoding } from "./content.ts";

/**
 * The files that were put into the function's folder when it was bundled, by the path at which they are served. In the folder
 * `files` each is named after its hash, with a suffix if it is compressed.
 */
const staticFiles = z.record(
  z.string(),
  z.object({
    status: z.exactOptional(z.number()),
    contentType: z.string(),
    hash: z.string(),
    isImmutable: z.boolean(),
    namesAddress: z.boolean(),
  }),
);

export type StaticFiles = z.output<typeof staticFiles>;

/** The table of the static files, in the function's folder. */
export const staticFilesTable = "site.json";

/** A file that is served, and whether it names the address of the service. */
export type StaticContent = Content & { namesAddress: boolean };

const suffixes: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz", identity: "" };

/** Where the bytes of a file are kept in the function's folder. */
export const storedFile = (folder: string, hash: string, encoding: Encoding): string =>
  join(folder, "files", hash + suffixes[encoding]);

/**
 * Reads the whole table once. A path that is not in it leads to no file, so no request can reach any other file.
 *
 * The address is the deployment's own, never that of a request: a forged one would collect tokens.
 *
 * @throws {Error} if there is no table, or if it is not valid, so that the function fails to start.
 */
export const readStaticFiles = (folder: string, baseUrl: string): ReadonlyMap<string, StaticContent> => {
  const table = staticFiles.parse(JSON.parse(readFileSync(join(folder, staticFilesTable), "utf8")));
  const read = (hash: string, encoding: Encoding) => readFile(storedFile(folder, hash, encoding));
  const withAddress = async (hash: string, encoding: Encoding) => {
    const text = (await read(hash, "identity")).toString("utf8");
    return compress(Buffer.from(text.replaceAll(exampleAddress, baseUrl)), encoding);
  };
  return new Map(
    Object.entries(table).map(([path, { hash, ...file }]) => [
      path,
      file.namesAddress
        ? {
            ...file,
            hash: contentHash(Buffer.from(hash + baseUrl)),
            bytes: oncePerEncoding((encoding) => withAddress(hash, encoding)),
          }
        : { ...file, hash, bytes: oncePerEncoding((encoding) => read(hash, encoding)) },
    ]),
  );
};
