import { assertValid } from "./errors.ts";
import { checkKeyValue, placeAfter, placeOfPartition, placeOfSortKey, sortableStart } from "./keys.ts";
import type { Condition, Operand } from "./parse-expression.ts";
import type { Placeholders } from "./placeholders.ts";
import type { KeyAttribute } from "./tables.ts";
import { type AttributeValue, typeOf } from "./values.ts";

/** The places from `from` up to but not including `before`. */
export interface Range {
  from: string;
  before: string;
}

/** One part of a key condition, which concerns one attribute. */
interface Term {
  name: string;
  operator: string;
  values: AttributeValue[];
}

const reversed: Record<string, string> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** Returns the range of places that a key condition selects. */
export const rangeOf = (
  condition: Condition,
  prefix: string,
  { keys, placeholders }: { keys: KeyAttribute[]; placeholders: Placeholders },
): Range => {
  const terms = termsOf(condition, placeholders);
  const names = terms.map(({ name }) => name);
  assertValid(new Set(names).size === names.length, "KeyConditionExpressions must only contain one condition per key");
  const termOf = ({ name }: KeyAttribute) => terms.find((term) => term.name === name);
  const isEqual = (key: KeyAttribute) => termOf(key)?.operator === "=";
  const partitionKeys = keys.filter(({ kind }) => kind === "HASH");
  const sortKeys = keys.filter(({ kind }) => kind === "RANGE");
  const missing = partitionKeys.find((key) => !termOf(key));
  assertValid(missing === undefined, `Query condition missed key schema element: ${missing?.name}`);
  for (const { name, values } of terms) {
    const key = keys.find((one) => one.name === name);
    assertValid(key !== undefined, `Query key condition not supported: ${name} is not a key`);
    const isOfType = values.every((value) => typeOf(value) === key.type);
    assertValid(isOfType, "Condition parameter type does not match schema type");
    for (const value of values) checkKeyValue(key, value);
  }
  // DynamoDB documents this rule: only the last sort key that a query names may be a range.
  const last = sortKeys.findLast(termOf);
  const before = last ? sortKeys.slice(0, sortKeys.indexOf(last)) : [];
  const unequal = [...partitionKeys, ...before].find((key) => !isEqual(key));
  assertValid(
    unequal === undefined,
    `Query key condition not supported: ${unequal?.name} must have an equality condition`,
  );
  const valuesOf = (all: KeyAttribute[]) => all.flatMap((key) => termOf(key)?.values ?? []);
  const partition = placeOfPartition(prefix, valuesOf(partitionKeys));
  const start = placeOfSortKey(partition, valuesOf(before));
  const term = last && termOf(last);
  return term ? rangeIn(start, term) : { from: start, before: placeAfter(start) };
};

const termsOf = (condition: Condition, placeholders: Placeholders): Term[] => {
  if (condition.kind === "and") {
    return [...termsOf(condition.left, placeholders), ...termsOf(condition.right, placeholders)];
  }
  assertValid(condition.kind === "test", `Invalid operator used in KeyConditionExpression: ${condition.kind}`);
  const { operands, operator } = condition;
  const isNested = operands.some(({ steps }) => steps.length > 0);
  assertValid(!isNested, "KeyConditionExpressions cannot have conditions on nested attributes");
  const isValueFirst = operands[0]?.kind === "value";
  const [attribute, ...others] = isValueFirst ? operands.toReversed() : operands;
  const isOfKey = attribute?.kind === "attribute" && others.every(({ kind }: Operand) => kind === "value");
  assertValid(isOfKey, "Invalid KeyConditionExpression: a condition must compare a key attribute with values");
  return [
    {
      name: placeholders.nameOf(attribute.name),
      operator: isValueFirst ? (reversed[operator] ?? operator) : operator,
      values: others.map(({ name }) => placeholders.valueNamed(name)),
    },
  ];
};

const rangeIn = (partition: string, { operator, values: [value, other] }: Term): Range => {
  const refused = `Invalid operator used in KeyConditionExpression: ${operator}`;
  assertValid(value !== undefined, refused);
  const at = placeOfSortKey(partition, [value]);
  const start = `${partition}${sortableStart(value)}`;
  const all = { from: partition, before: placeAfter(partition) };
  const ranges: Record<string, Range> = {
    "=": { from: at, before: placeAfter(at) },
    "<": { ...all, before: at },
    "<=": { ...all, before: placeAfter(at) },
    ">": { ...all, from: placeAfter(at) },
    ">=": { ...all, from: at },
    BETWEEN: { from: at, before: placeAfter(placeOfSortKey(partition, [other ?? value])) },
    begins_with: { from: start, before: placeAfter(start) },
  };
  const range = ranges[operator];
  assertValid(range !== undefined, refused);
  return range;
};
