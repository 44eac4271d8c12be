import { invalid } from "./errors.ts";
import { checkNotEmpty, placeAfter, placeOfPartition, placeOfSortKey, sortableStart } from "./keys.ts";
import type { Condition, Operand } from "./parse-expression.ts";
import type { Placeholders } from "./placeholders.ts";
import type { KeyAttribute } from "./tables.ts";
import { type AttributeValue, typeOf } from "./values.ts";

/** The places from one on, and before another. */
export interface Range {
  from: string;
  before: string;
}

/** What a key condition says about one attribute. */
interface Term {
  name: string;
  operator: string;
  values: AttributeValue[];
}

const reversed: Record<string, string> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** The range of places that a key condition selects. */
export const rangeOf = (
  condition: Condition,
  prefix: string,
  { keys, placeholders }: { keys: KeyAttribute[]; placeholders: Placeholders },
): Range => {
  const terms = termsOf(condition, placeholders);
  const [partitionKey, sortKey] = keys;
  const names = terms.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw invalid("KeyConditionExpressions must only contain one condition per key");
  }
  for (const term of terms) checkTerm(term, keys);
  const partition = terms.find(({ name }) => name === partitionKey?.name);
  const [value] = partition?.values ?? [];
  if (value === undefined) throw invalid(`Query condition missed key schema element: ${partitionKey?.name}`);
  if (partition?.operator !== "=") throw invalid("Query key condition not supported");
  const start = placeOfPartition(prefix, value);
  const sort = terms.find(({ name }) => name === sortKey?.name);
  return sort ? rangeIn(start, sort) : { from: start, before: placeAfter(start) };
};

const termsOf = (condition: Condition, placeholders: Placeholders): Term[] => {
  if (condition.kind === "and") {
    return [...termsOf(condition.left, placeholders), ...termsOf(condition.right, placeholders)];
  }
  if (condition.kind !== "test") {
    throw invalid(`Invalid operator used in KeyConditionExpression: ${condition.kind.toUpperCase()}`);
  }
  const { operands, operator } = condition;
  const isValueFirst = operands[0]?.kind === "value";
  const [attribute, ...others] = isValueFirst ? operands.toReversed() : operands;
  if (attribute?.kind !== "attribute" || others.some(({ kind }: Operand) => kind !== "value")) {
    throw invalid("Invalid KeyConditionExpression: a condition must compare a key attribute with values");
  }
  return [
    {
      name: placeholders.nameOf(attribute.name),
      operator: isValueFirst ? (reversed[operator] ?? operator) : operator,
      values: others.map(({ name }) => placeholders.valueNamed(name)),
    },
  ];
};

const checkTerm = ({ name, values }: Term, keys: KeyAttribute[]): void => {
  const key = keys.find((one) => one.name === name);
  if (key === undefined) {
    throw invalid(`Query condition missed key schema element: ${keys.at(-1)?.name}`);
  }
  if (values.some((value) => typeOf(value) !== key.type)) {
    throw invalid("One or more parameter values were invalid: Condition parameter type does not match schema type");
  }
  for (const value of values) checkNotEmpty(name, value);
};

const rangeIn = (partition: string, { operator, values: [value, other] }: Term): Range => {
  if (value === undefined) throw invalid(`Invalid operator used in KeyConditionExpression: ${operator}`);
  const at = placeOfSortKey(partition, value);
  const all = { from: partition, before: placeAfter(partition) };
  switch (operator) {
    case "=":
      return { from: at, before: placeAfter(at) };
    case "<":
      return { ...all, before: at };
    case "<=":
      return { ...all, before: placeAfter(at) };
    case ">":
      return { ...all, from: placeAfter(at) };
    case ">=":
      return { ...all, from: at };
    case "BETWEEN":
      return { from: at, before: placeAfter(placeOfSortKey(partition, other ?? value)) };
    case "begins_with": {
      if (value.N !== undefined) break;
      const start = `${partition}${sortableStart(value)}`;
      return { from: start, before: placeAfter(start) };
    }
  }
  throw invalid(`Invalid operator used in KeyConditionExpression: ${operator}`);
};
