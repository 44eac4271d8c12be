import type { Endpoint, ValueSchemas } from "../declaration/endpoint.ts";
import { settingVariable } from "../shared/environment.ts";
import type { Words } from "../shared/validation/validate.ts";
import { valueFromText } from "../shared/validation/value-from-text.ts";

/** An endpoint or a job, as far as its settings and secrets are concerned. */
export type Declared<Result> = Pick<Endpoint, "settings" | "secrets"> & { handler: Handler<Result> };

type Handler<Result> = (input: unknown, ...others: unknown[]) => Promise<Result>;

/** The handler of an endpoint or a job, which gets its settings and secrets. */
export interface Valued<Result> {
  handler: Handler<Result>;
  /** Returns the problems with reading the secrets, for the version check. */
  failures?: () => Promise<string[]>;
}

/**
 * Reads the settings of an endpoint from the environment.
 *
 * @throws {Error} naming the settings that are missing or invalid, so that the function fails to start.
 */
export const readSettings = (schemas: ValueSchemas = {}, words: Words): object =>
  valuesOf("setting", schemas, (name) => process.env[settingVariable(name)], words);

/** @throws {Error} naming the values that are missing or invalid, and the rules that they break. */
export const valuesOf = (
  kind: "setting" | "secret",
  schemas: ValueSchemas,
  textOf: (name: string) => string | undefined,
  words: Words,
): object => {
  const problems: string[] = [];
  const values = Object.entries(schemas).map(([name, schema]) => {
    const result = valueFromText(schema, textOf(name), words);
    if ("value" in result) return [name, result.value];
    const isMissing = textOf(name) === undefined;
    problems.push(
      ...(isMissing ? ["is missing."] : result.problems).map((problem) => `The ${kind} ${name} ${problem}`),
    );
    return [name];
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return Object.fromEntries(values);
};

/** Gives the handler of an endpoint or a job without secrets its settings. */
export const withValues = <Result>(declared: Declared<Result>, words: Words): Valued<Result> => {
  const settings = readSettings(declared.settings, words);
  return { handler: (input, ...others) => declared.handler({ ...Object(input), settings }, ...others) };
};
