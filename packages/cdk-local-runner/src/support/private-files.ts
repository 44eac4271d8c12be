import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { chmod, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

// Set on folders that everyone needs, such as /tmp.
const stickyBit = 0o1000;

/** Creates a folder that only its owner can use. If the folder already exists, everyone else loses access to it. */
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

/** Makes a rename in a folder survive a power cut. Windows does this itself and can't open folders. */
export const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Atomically writes a file that only its owner can read: if the process is killed, either the old file or the new one exists. */
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
