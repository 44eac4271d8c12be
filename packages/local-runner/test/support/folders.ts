import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, which the caller removes. */
export const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), "local-run-"));

/** A folder that is removed after the test. */
export const temporaryDirectory = async (): Promise<string> => {
  const directory = await newDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
};

/** A folder with these files, which is removed after the test. */
export const folderOf = async (files: Record<string, string>): Promise<string> => {
  const directory = await temporaryDirectory();
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, file), text);
  return directory;
};
