import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OptionError } from "./option-error.ts";

/** Returns the name of the file with the options of a stage. Git ignores the file, so that no checkout changes or removes it. */
export const optionsFileOf = (stage: string): string => `options.${stage}.json`;

/**
 * Reads the options of a stage from its file in a folder. Returns an empty object if the file does not exist.
 *
 * @throws {OptionError} if the file cannot be read, or does not contain a JSON object.
 */
export const readOptionsFile = (folder: string, stage: string): Record<string, unknown> => {
  const file = optionsFileOf(stage);
  const options = readJson(join(folder, file), file);
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new OptionError(`${file} must contain a JSON object, such as { "alarmEmail": "ops@example.com" }.`);
  }
  return { ...options };
};

const readJson = (path: string, file: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw new OptionError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
};
