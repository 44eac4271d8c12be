import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

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
