import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, LocalError, messageOf } from "./local-error.ts";
import * as z from "./zod.ts";

// Set on folders that everyone needs, such as /tmp.
const stickyBit = 0o1000;

/** Creates a folder that only its owner can use. If the folder already exists, everyone else loses access to it. */
export const makePrivateDirectory = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0 && (mode & stickyBit) === 0) await chmod(path, 0o700);
};

/** Reads and validates a JSON file; undefined if it doesn't exist. `problem` makes the message of the error from the reason. */
export const readJsonFile = async <Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
  problem: (reason: string) => string,
): Promise<z.infer<Schema> | undefined> => {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    const reason = cause instanceof z.core.$ZodError ? z.prettifyError(cause) : messageOf(cause);
    throw new LocalError(problem(reason.replaceAll(/\s*\n\s*/g, " ")), { cause, option: "dataDirectory" });
  }
};

/** Atomically writes a file that only its owner can read: if the process is killed, either the old file or the new one exists. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`;
  await makePrivateDirectory(dirname(path));
  await writeFile(draft, text, { flag: "wx", mode: 0o600, flush: true });
  await rename(draft, path);
};
