import { randomUUID } from "node:crypto";
import { lstat, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type IssuedToken, issuedTokenFrom } from "./token-calls.ts";

/** A problem with the file that keeps a token. The message says what to do and never contains the token. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
}

export type TokenFile = ReturnType<typeof tokenFile>;

const reservedBytes = 4096;

/**
 * A file that only its owner can read, with the service's JSON. It always contains a complete token: the old token stays until the
 * new one is on disk.
 */
export const tokenFile = (name: string) => {
  const path = resolve(name);
  const folder = dirname(path);
  const prefix = `.${basename(path)}.`;

  const withdraw = async (kept?: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      if (name.startsWith(prefix) && name.endsWith(".new") && name !== kept) {
        await rm(join(folder, name), { force: true });
      }
    }
  };

  return {
    path,

    /** Reads the token from the file, or returns `undefined` if there is no file. */
    async read(): Promise<IssuedToken | undefined> {
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

    /** Reserves disk space before a new token is created, because a token that can't be stored is lost. */
    async reserve() {
      await assertPrivateFolder(folder);
      const name = `${prefix}${randomUUID()}.new`;
      const place = join(folder, name);
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
        /** Releases the space unless it has become the file. */
        release,
        /** Writes the token to disk, but not yet to the file. */
        async fill({ token, ...described }: IssuedToken): Promise<void> {
          const text = `${JSON.stringify({ ...described, token })}\n`;
          await handle.write(text, 0);
          await handle.truncate(Buffer.byteLength(text));
          await handle.sync();
        },
        /** Withdraws all other places and replaces the file. Returns false if this place has been withdrawn. */
        async replace(): Promise<boolean> {
          await withdraw(name);
          try {
            await rename(place, path);
          } catch (error) {
            if (isMissing(error)) return false;
            throw error;
          }
          await syncFolder(folder);
          return true;
        },
      };
    },

    /** Deletes the places that all processes have reserved so far, so that none of these places can replace the file. */
    withdraw: () => withdraw(),

    async remove(): Promise<void> {
      await rm(path, { force: true });
      await syncFolder(folder);
    },
  };
};

/** Anyone who can write to a folder can replace its files, unless the folder is sticky like `/tmp`. */
const assertPrivateFolder = async (folder: string): Promise<void> => {
  const { uid, mode } = await stat(folder);
  if (uid !== 0 && uid !== process.getuid?.()) throw new TokenFileError(`${folder} belongs to another user.`);
  if ((mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  throw new TokenFileError(`Others can write to ${folder}. Run: chmod go-w ${folder}`);
};

/** A rename is on disk only once the folder has been synced. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};

/** Parses JSON, or returns `undefined`. The parser's error would quote the text. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
