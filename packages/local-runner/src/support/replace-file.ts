import { randomUUID } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateDirectory } from "./private-folder.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Writes a file that only its owner can read, in one step: whenever the process is killed, either the old file or the new
 * one exists.
 */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`;
  await makePrivateDirectory(dirname(path));
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  syncFolder(dirname(path));
};
