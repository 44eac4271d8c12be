import { open, readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { parseJson, RecoveryError } from "../command.ts";

const userSchema = z.strictObject({
  /** The name that the user signs in with. */
  username: z.string().check(z.minLength(1)),
  email: z.email(),
  email_verified: z.boolean(),
  enabled: z.boolean(),
  /** The state of the user's password in Cognito: `CONFIRMED`, `FORCE_CHANGE_PASSWORD`. */
  status: z.string(),
  groups: z.array(z.string()),
});

export type User = z.output<typeof userSchema>;

/** Writes a line of JSON for each user into a new file that only its owner can read. */
export const writeUsers = async (file: string, users: User[]): Promise<void> => {
  const created = await createFile(file);
  try {
    await created.writeFile(users.map((user) => `${JSON.stringify(user)}\n`).join(""));
    await created.sync();
  } finally {
    await created.close();
  }
};

const createFile = async (file: string) => {
  try {
    return await open(file, "wx", 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new RecoveryError(`${file} exists already: move it away, or choose another name with --file.`, {
      cause: error,
    });
  }
};

/** @throws {RecoveryError} naming the first line that is not a user. */
export const readUsers = async (file: string): Promise<User[]> => {
  const lines = (await readText(file)).split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => {
    const { data, error } = userSchema.safeParse(parseJson(line));
    if (data) return data;
    const [issue] = error.issues;
    const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
    throw new RecoveryError(`Line ${index + 1} of ${file} is not a user (${where}${issue?.message}): correct it.`);
  });
};

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new RecoveryError(`There is no file ${file}: name the exported users with --file.`, { cause: error });
  }
};
