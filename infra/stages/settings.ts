import * as z from "zod/mini";
import { exampleOfValue } from "../../lambdas/declaration/check-values.ts";
import type { ValueSchemas } from "../../lambdas/declaration/endpoint.ts";
import { wordIssue } from "../../lambdas/shared/validation/issue-words.ts";
import { valueFromText } from "../../lambdas/shared/validation/value-from-text.ts";

/** A value in a file. Numbers and booleans become text. */
export const settingValue = z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String));

/** The values of settings or secrets, as text. */
export type Texts = Readonly<Record<string, string>>;

export const examplesOf = (schemas: ValueSchemas): Texts =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, exampleOfValue(schema)]));

/** Returns what is wrong with given values: unknown names and invalid values, which it does not quote. */
export const problemsOf = (kind: "setting" | "secret", schemas: ValueSchemas, texts: Texts): string[] =>
  Object.entries(texts).flatMap(([name, text]) => {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (!schema) return `There is no ${kind} ${name}${nearest(name, Object.keys(schemas))}`;
    const result = valueFromText(schema, text, wordIssue);
    return "problems" in result ? result.problems.map((problem) => `The ${kind} ${name} ${problem}`) : [];
  });

/** Returns the names that need a value and have none. */
export const missingNames = (schemas: ValueSchemas, texts: Texts): string[] =>
  Object.entries(schemas).flatMap(([name, schema]) =>
    Object.hasOwn(texts, name) || "value" in valueFromText(schema, undefined, wordIssue) ? [] : [name],
  );

/** Returns the line of JSON that gives a setting or a secret its example. */
export const lineFor = (kind: "setting" | "secret", schemas: ValueSchemas, name: string): string =>
  `"${kind}s": { "${name}": ${JSON.stringify(examplesOf(schemas)[name])} }`;

const nearest = (name: string, names: readonly string[]): string => {
  const shared = (other: string) => pairsIn(other).intersection(pairsIn(name)).size;
  const [first] = names.toSorted((one, other) => shared(other) - shared(one));
  return first === undefined ? ": none is declared." : `. Did you mean ${first}?`;
};

const pairsIn = (name: string): Set<string> => new Set(Array.from(name, (_, index) => name.slice(index, index + 2)));
