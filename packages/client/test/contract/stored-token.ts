import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const idOf = (token: string): string => token.split("_")[1] ?? "";

export interface StoredToken {
  token_id: string;
  ip: string;
  issued_at: string;
  expires_at: string | null;
  token: string;
}

/** More than two thirds of its lifetime have passed, whatever the token's own fields say. */
export const due = { issued_at: "2020-01-01T00:00:00.000Z", expires_at: "2027-12-31T00:00:00.000Z" };

export type TokenFile = Awaited<ReturnType<typeof tokenFile>>;

/** The path of a token in a new folder. */
export const tokenFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), "token-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "token.json");
  return {
    folder,
    path,
    read: async (): Promise<StoredToken> => JSON.parse(await readFile(path, "utf8")),
    text: () => readFile(path, "utf8"),
    mode: async () => (await stat(path)).mode & 0o777,
    names: async () => (await readdir(folder)).toSorted(),
    /** Stores a token as `curl` would store the response of the service. By default, the token is not due for rotation. */
    store: async (token: string, fields: Partial<StoredToken> = {}): Promise<void> => {
      const stored = { token_id: idOf(token), ip: "127.0.0.1", issued_at: new Date().toISOString(), expires_at: null };
      await writeFile(path, JSON.stringify({ ...stored, ...fields, token }));
      await chmod(path, 0o600);
    },
  };
};
