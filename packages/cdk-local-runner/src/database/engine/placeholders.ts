import { assertValid, DatabaseError, UnsupportedRequest } from "./errors.ts";
import type { Parsed } from "./parse-expression.ts";
import type { AttributeValue, Item } from "./values.ts";

/** The names and values in a request that expressions refer to. */
export interface Placeholders {
  /** Returns the name of an attribute that is written as `name` or `#name`. */
  nameOf: (name: string) => string;
  valueNamed: (name: string) => AttributeValue;
}

interface Given {
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Item | undefined;
}

/** Reads an expression. Error messages begin with the parameter's name, as in DynamoDB. */
export const read = <Result>(parameter: string, parse: () => Result): Result => {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DatabaseError) throw new DatabaseError(error.type, `Invalid ${parameter}: ${error.message}`);
    if (error instanceof UnsupportedRequest) throw new UnsupportedRequest(`${parameter} with ${error.message}`);
    throw error;
  }
};

/** Checks that expressions use exactly the request's names and values. */
export const placeholdersOf = (
  { ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Given,
  expressions: Record<string, Parsed<unknown> | undefined>,
): Placeholders => {
  const used = new Set<string>();
  for (const parameter in expressions) {
    for (const placeholder of expressions[parameter]?.used ?? []) {
      used.add(placeholder);
      const [given, kind, use] = placeholder.startsWith("#")
        ? [names, "name", "the document path"]
        : [values, "value", "expression"];
      const isGiven = given !== undefined && Object.hasOwn(given, placeholder);
      assertValid(
        isGiven,
        `Invalid ${parameter}: An expression attribute ${kind} used in ${use} is not defined; attribute ${kind}: ${placeholder}`,
      );
    }
  }
  for (const [parameter, given] of [
    ["ExpressionAttributeNames", names],
    ["ExpressionAttributeValues", values],
  ] as const) {
    if (given === undefined) continue;
    const parameters = Object.keys(expressions).filter((name) => given === names || name !== "ProjectionExpression");
    assertValid(
      parameters.some((name) => expressions[name] !== undefined),
      `${parameter} can only be specified when using expressions: ${parameters.join(" and ")} ${parameters.length > 1 ? "are" : "is"} null`,
    );
    const all = Object.keys(given);
    assertValid(all.length > 0, `${parameter} must not be empty`);
    const unused = all.filter((name) => !used.has(name));
    assertValid(
      unused.length === 0,
      `Value provided in ${parameter} unused in expressions: keys: {${unused.join(", ")}}`,
    );
  }
  return {
    nameOf: (name) => (name.startsWith("#") ? (names?.[name] ?? name) : name),
    valueNamed: (name) => {
      const value = values?.[name];
      if (value === undefined) throw new Error(`${name} was not checked`);
      return value;
    },
  };
};
