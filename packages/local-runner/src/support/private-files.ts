import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { chmod, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

// A folder such as /tmp, which everyone needs.
const stickyBit = 0o1000;

/** Creates a folder that only its owner can use. If it exists already, everybody else loses access to it. */
export const makePrivateDirectory = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0 && (mode & stickyBit) === 0) await chmod(path, 0o700);
};

/** Makes a folder and everything in it accessible to its owner only. */
export const makePrivate = async (path: string): Promise<void> => {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await makePrivate(child);
    else if (entry.isFile()) await chmod(child, 0o600);
  }
};

/** Makes a rename in a folder survive a power cut. Windows does that itself, and cannot open folders. */
export const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

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
