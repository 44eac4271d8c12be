import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { errorBody } from "../middlewares/format-errors.ts";
import { documentationPath } from "../shared/addresses.ts";
import { otherError } from "../shared/errors/api-error.ts";
import { log } from "../shared/log.ts";
import { type Content, contentOf } from "./content.ts";
import type { StaticContent } from "./static-files.ts";

/** Returns the content of a path, if there is any. */
export type Source = () => Promise<Content | undefined>;

/** The API description, in the function's folder. A separate step generates the description, so it may be missing. */
export const descriptionFile = "api-docs.json";

/** The page shown instead of the documentation while the API description is missing. This page has no path. */
export const missingDescriptionFile = "missing-description.html";

/** The page for unknown documentation addresses. This page has no path. */
export const unknownPageFile = "unknown-page.html";

interface DocumentationOptions {
  /** The function's folder. */
  folder: string;
  files: ReadonlyMap<string, StaticContent>;
  /** The address of the service, which the API description lists as its server. */
  baseUrl: string;
}

/**
 * Returns the pages of the documentation and the API description.
 *
 * While the API description is missing, all of them say so and how to fix it. Once the description exists, they serve it without a
 * restart.
 */
export const documentation = ({ folder, files, baseUrl }: DocumentationOptions): Record<string, Source> => {
  const description = liveFile(join(folder, descriptionFile), (bytes) => withAddress(bytes, baseUrl));
  const refusal = otherError("documentation_missing");
  const missingDescription = contentOf(Buffer.from(JSON.stringify(errorBody(refusal))), {
    status: refusal.status,
    contentType: "application/json",
  });

  let isReported = false;
  const readDescription: Source = async () => {
    const content = await description();
    if (!content && !isReported) log("error", { message: refusal.code, cause: refusal.message });
    isReported = !content;
    return content;
  };

  const pages = [...files].filter(([, { namesAddress }]) => namesAddress);
  return {
    ...Object.fromEntries(
      pages.map(([path, page]): [string, Source] => [
        path,
        async () => ((await readDescription()) ? page : files.get(missingDescriptionFile)),
      ]),
    ),
    [`${documentationPath}/${descriptionFile}`]: async () => (await readDescription()) ?? missingDescription,
  };
};

/**
 * Sets the server's address, because the generated file cannot know where it will be served. The address is the deployment's own,
 * never that of a request.
 */
const withAddress = (bytes: Buffer, baseUrl: string): Buffer => {
  const description = z.looseObject({}).parse(JSON.parse(bytes.toString("utf8")));
  return Buffer.from(JSON.stringify({ ...description, servers: [{ url: baseUrl }] }));
};

/**
 * Serves a file that may appear, change and disappear while the function runs. Checks the file on each request, and reads it again
 * only if it has changed.
 */
const liveFile = (path: string, transform: (bytes: Buffer) => Buffer): Source => {
  let known: { version: string; content: Content } | undefined;
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const version = [mtimeMs, size, ino].join();
      if (known?.version !== version) {
        const content = contentOf(transform(await readFile(path)), { contentType: "application/json" });
        known = { version, content };
      }
      return known.content;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  };
};
