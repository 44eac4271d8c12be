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

/** Returns the text of a file; an empty one if the file does not exist. */
export const textIn = async (file: string): Promise<string> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return "";
    throw error;
  }
};
