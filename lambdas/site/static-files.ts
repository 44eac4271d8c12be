import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { exampleAddress } from "../shared/addresses.ts";
import type { Encoding } from "../shared/http/encoding.ts";
import { type Content, compress, contentHash, oncePerEncoding } from "./content.ts";

/**
 * The static files, by the path at which they are served. Bundling puts them into the folder `files`, where each file is named
 * after its hash, with a suffix if it is compressed.
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

/** The file with the table of static files, in the function's folder. */
export const staticFilesTable = "site.json";

/** A static file, and whether it contains the address of the service. */
export type StaticContent = Content & { namesAddress: boolean };

const suffixes: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz", identity: "" };

/** Returns where a file's bytes are stored in the function's folder. */
export const storedFile = (folder: string, hash: string, encoding: Encoding): string =>
  join(folder, "files", hash + suffixes[encoding]);

/**
 * Reads the whole table once. Requests can only reach files that the table lists.
 *
 * The address of the service is the deployment's own, never that of a request, because clients would send their tokens to a forged
 * address.
 *
 * @throws {Error} if the table is missing or invalid, so that the function fails to start.
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
