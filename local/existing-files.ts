import { readdir, readFile } from "node:fs/promises";
import { codeOf, LocalError } from "cdk-local-runner";

/**
 * Returns the names in a folder; none if the folder does not exist.
 *
 * @param shown the folder as the user has named it
 * @throws {LocalError} if it is a file
 */
export const namesIn = async (folder: string, shown: string): Promise<string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    if (codeOf(error) === "ENOTDIR") throw new LocalError(`${shown} is a file. Name a new folder.`);
    throw error;
  }
};

const remedies: Readonly<Record<string, string>> = {
  EACCES: "Make it writable, or name another folder.",
  EPERM: "Make it writable, or name another folder.",
  EROFS: "Name another folder.",
  ENOSPC: "Free some space on its disk, and run the command again.",
};

/**
 * Reads and writes a folder.
 *
 * @param shown the folder as the user has named it
 * @throws {LocalError} with what to do if the file system refuses
 */
export const writingInto = async <Result>(shown: string, act: () => Promise<Result>): Promise<Result> => {
  try {
    return await act();
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof LocalError || code === undefined) throw error;
    const remedy = remedies[code] ?? "Name another folder, or make sure that nothing else writes there.";
    throw new LocalError(`${shown} cannot be written (${code}). ${remedy}`, { cause: error });
  }
};

/** Returns the text of a file; an empty one if the file does not exist. */
export const textIn = async (file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return "";
    throw error;
  }
};
