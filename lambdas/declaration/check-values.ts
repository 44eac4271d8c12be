import { definitionOf } from "../shared/validation/definition.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { sampleOf } from "../shared/validation/sample-value.ts";
import { valueFromText } from "../shared/validation/value-from-text.ts";
import type { Endpoint, ValueSchemas } from "./endpoint.ts";

type Schema = ValueSchemas[string];

/** Checks the settings and secrets of endpoints and jobs. Returns the problems found. */
export const checkValues = (endpoints: readonly Pick<Endpoint, "settings" | "secrets">[], slug: string): string[] => {
  const settings = endpoints.flatMap((one) => Object.entries(one.settings ?? {}));
  const secrets = endpoints.flatMap((one) => Object.entries(one.secrets ?? {}));
  const isReserved = secrets.length > 0 && /^(aws|ssm)/.test(slug);
  return [
    ...checkKind("setting", settings),
    ...checkKind("secret", secrets),
    ...settings.flatMap(([name]) =>
      secrets.some(([other]) => other === name) ? [`${name} is both a setting and a secret. Rename one.`] : [],
    ),
    ...(isReserved ? ["AWS reserves parameters whose names begin with aws or ssm. Rename the service."] : []),
  ];
};

const checkKind = (kind: string, declared: readonly [string, Schema][]): string[] => {
  const schemas = new Map(declared);
  return declared.flatMap(([name, schema]) => {
    const problem = schemas.get(name) === schema ? problemOf(name, schema) : otherSchema;
    return problem === undefined ? [] : [`The ${kind} ${name} ${problem}`];
  });
};

const otherSchema = "is declared with two schemas. Declare one, and use it in both places.";

const problemOf = (name: string, schema: Schema): string | undefined => {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) || name.length > 64) {
    return "needs another name: up to 64 lower-case letters, digits and single underscores, beginning with a letter.";
  }
  if (!isPlain(schema)) return "must be a string, an enum, a whole number or a boolean.";
  let isInvented = false;
  const example = exampleOfValue(schema, () => {
    isInvented = true;
  });
  if (isInvented) return "needs an example: add z.meta({ examples: […] }) to its schema.";
  const result = valueFromText(schema, example, wordIssue);
  return "problems" in result ? `has an invalid example: it ${result.problems.join(" It ")}` : undefined;
};

const isPlain = (schema: Schema): boolean => {
  const def = definitionOf(schema);
  if (def.type === "optional" || def.type === "default") return isPlain(def.innerType);
  return ["string", "enum", "number", "boolean"].includes(def.type);
};

/** Returns the example of a setting or a secret, as text. */
export const exampleOfValue = (schema: Schema, onInvented?: () => void): string =>
  String(sampleOf(schema, { io: "input", ...(onInvented && { onInvented }) }));
