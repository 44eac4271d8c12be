import { readFile, stat } from "node:fs/promises";
import { type Content, contentOf } from "./content.ts";

/** A file that may appear, change and disappear while the function runs. */
export interface LiveFile {
  /** Its current content; undefined if the file does not exist. */
  read(): Promise<Content | undefined>;
}

interface LiveFileOptions {
  contentType: string;
  /** Turns the contents of the file into the content that is served. */
  transform(bytes: Buffer): Buffer;
}

/** Checks the file on each request, and reads it again only if it has changed. */
export const liveFile = (path: string, { contentType, transform }: LiveFileOptions): LiveFile => {
  let known: { version: string; content: Content } | undefined;

  return {
    async read() {
      try {
        const { mtimeMs, size, ino } = await stat(path);
        const version = [mtimeMs, size, ino].join();
        if (known?.version !== version) {
          known = { version, content: contentOf(transform(await readFile(path)), { contentType }) };
        }
        return known.content;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
};
