import { randomUUID } from "node:crypto";
import { lstat, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type IssuedToken, issuedTokenFrom } from "../issued-token.ts";

/** Something is wrong with the file that keeps a token. The message says what to do; it never contains the token. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
}

/**
 * A file that only its owner can read, with the JSON from the service. It always contains a complete token: the old
 * one until the new one is on disk.
 */
export interface TokenFile {
  path: string;
  /** The token in the file, or `undefined` if there is no file. */
  read(): Promise<IssuedToken | undefined>;
  /** Reserves disk space before a new token is made, because a token that cannot be stored is lost. */
  reserve(): Promise<Reserved>;
  remove(): Promise<void>;
}

export interface Reserved {
  /** Replaces the file. */
  fill(token: IssuedToken): Promise<void>;
  /** Releases the space, unless it has been filled. */
  release(): Promise<void>;
}

const reservedBytes = 4096;

/** Longer than anybody waits for a confirmation: an older file was left behind by a process that was killed. */
const leftMilliseconds = 60 * 60 * 1000;

export const tokenFile = (name: string): TokenFile => {
  const path = resolve(name);
  const folder = dirname(path);
  const prefix = `.${basename(path)}.`;

  const removeLeft = async (): Promise<void> => {
    const { mtimeMs: now } = await stat(path);
    for (const other of await readdir(folder)) {
      if (!other.startsWith(prefix) || !other.endsWith(".new")) continue;
      const { mtimeMs } = await lstat(join(folder, other));
      if (now - mtimeMs > leftMilliseconds) await rm(join(folder, other), { force: true });
    }
  };

  return {
    path,

    async read() {
      await assertPrivateFolder(folder);
      const found = await lstat(path).catch(undefinedIfMissing);
      if (found === undefined) return undefined;
      const { uid, mode } = found;
      if (!found.isFile()) throw new TokenFileError(`${path} is not a regular file.`);
      if (uid !== process.getuid?.()) throw new TokenFileError(`${path} belongs to another user.`);
      if ((mode & 0o077) !== 0) throw new TokenFileError(`Others can read ${path}. Run: chmod 600 ${path}`);
      const token = issuedTokenFrom(parsed(await readFile(path, "utf8")));
      if (token === undefined) throw new TokenFileError(`${path} is damaged: it does not contain a token.`);
      return token;
    },

    async reserve() {
      await assertPrivateFolder(folder);
      const place = join(folder, `${prefix}${randomUUID()}.new`);
      const handle = await open(place, "wx", 0o600);
      const release = async () => {
        await handle.close();
        await rm(place, { force: true });
      };
      try {
        await handle.write(" ".repeat(reservedBytes), 0);
        await handle.sync();
      } catch (error) {
        await release();
        throw error;
      }
      return {
        release,
        async fill({ token, ...described }) {
          const text = `${JSON.stringify({ ...described, token })}\n`;
          await handle.write(text, 0);
          await handle.truncate(Buffer.byteLength(text));
          await handle.sync();
          await rename(place, path);
          await syncFolder(folder);
          await removeLeft();
        },
      };
    },

    async remove() {
      await rm(path, { force: true });
      await syncFolder(folder);
    },
  };
};

/** Whoever can write to a folder can replace its files, unless it is sticky, as `/tmp` is. */
const assertPrivateFolder = async (folder: string): Promise<void> => {
  const { uid, mode } = await stat(folder);
  if (uid !== 0 && uid !== process.getuid?.()) throw new TokenFileError(`${folder} belongs to another user.`);
  if ((mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  throw new TokenFileError(`Others can write to ${folder}. Run: chmod go-w ${folder}`);
};

/** A new name is on disk only once its folder is. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const undefinedIfMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error;
};

/** JSON, or `undefined`. The error of the parser would quote the text. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
