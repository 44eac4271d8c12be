import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import type { Service } from "../../lambdas/declaration/service.ts";
import { OptionError } from "./option-error.ts";
import { examplesOf, lineFor, missingNames, problemsOf, settingValue, type Texts } from "./settings.ts";

type Declared = Pick<Service, "settings" | "secrets">;

const values = z._default(z.record(z.string(), settingValue), {});
const fileSchema = z.strictObject({ settings: values, secrets: values });

/**
 * Reads the settings and secrets of a local run from a file that only its owner can read. If there is none, creates it with the
 * examples of the schemas.
 *
 * @throws {OptionError} if the file is damaged, or if values are missing, unknown or invalid. Values are not quoted.
 */
export const readLocalSettings = ({ settings, secrets }: Declared, file: string): Texts => {
  if (!existsSync(file)) {
    if (Object.keys({ ...settings, ...secrets }).length === 0) return {};
    createFile(file, { settings: examplesOf(settings), secrets: examplesOf(secrets) });
  }
  // Only if necessary, because `npm run dev` would treat it as a change to the file.
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  const given = parseFile(readFileSync(file, "utf8"), file);
  const problems = (["setting", "secret"] as const).flatMap((kind) => {
    const [schemas, texts] = kind === "setting" ? [settings, given.settings] : [secrets, given.secrets];
    const missing = missingNames(schemas, texts);
    return [
      ...problemsOf(kind, schemas, texts),
      ...missing.map((name) => `The ${kind} ${name} is missing. Add it: ${lineFor(kind, schemas, name)}`),
    ];
  });
  if (problems.length > 0) throw new OptionError([`Correct ${file}:`, ...problems].join("\n"));
  return given.settings;
};

/** @throws {OptionError} with the line of the mistake. */
const parseFile = (text: string, file: string): { settings: Texts; secrets: Texts } => {
  const { data } = fileSchema.safeParse(jsonOf(text, file));
  if (data) return data;
  throw new OptionError(`${file} must be { "settings": { … }, "secrets": { … } }, with texts, numbers and booleans.`);
};

const jsonOf = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message may quote a secret.
    const lines = text.split("\n");
    const line = lines.findIndex((_, index) => isWrong(lines.slice(0, index + 1).join("\n"))) + 1;
    throw new OptionError(`${file} is not JSON: correct line ${line || lines.length}.`);
  }
};

/** Checks whether a file with this beginning is invalid, whatever follows. */
const isWrong = (beginning: string): boolean => {
  try {
    return !JSON.parse(beginning);
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    return position === undefined ? !/end of JSON/.test(String(error)) : Number(position) < beginning.length;
  }
};

/** Creates a file in one step, and never replaces one. */
const createFile = (file: string, content: object): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } finally {
    rmSync(draft);
  }
};
