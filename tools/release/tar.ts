import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const blockBytes = 512;
const nameBytes = 100;

/**
 * Packs the files below a folder into a `.tar.gz`. Its bytes depend only on the paths and contents of the files, and on `seconds`,
 * which becomes the time of all files. Owners, permissions and the order of the file system do not matter.
 */
export const packFolder = async (folder: string, seconds: number): Promise<Buffer> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const parts: Buffer[] = [];
  for (const file of files.toSorted()) {
    const bytes = await readFile(file);
    const padding = Buffer.alloc(-bytes.length & (blockBytes - 1));
    parts.push(header(file.slice(folder.length + 1), bytes.length, seconds), bytes, padding);
  }
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]), { level: 9 });
};

/** Returns the header of a file in the ustar format, which stores the beginning of a long path in a separate field. */
const header = (path: string, bytes: number, seconds: number): Buffer => {
  const slash = path.length > nameBytes ? path.indexOf("/", path.length - nameBytes - 1) : -1;
  const block = Buffer.alloc(blockBytes);
  block.write(path.slice(slash + 1));
  block.write(`0000644\0${octal(0, 8)}${octal(0, 8)}${octal(bytes, 12)}${octal(seconds, 12)}        0`, nameBytes);
  block.write("ustar\x0000", 257);
  block.write(path.slice(0, Math.max(slash, 0)), 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
};

const octal = (value: number, bytes: number): string => `${value.toString(8).padStart(bytes - 1, "0")}\0`;
