import { isRecord } from "../../support/is-record.ts";
import type { Condition, Term } from "./conditions.ts";
import { InvalidRequest, UnsupportedRequest } from "./refusals.ts";

type Values = Record<string, unknown>;

/** What a term may be used with: the type of each value, and the value itself. */
type CheckValue = (type: string, value: unknown, operator: string) => void;

const maximumAlternatives = 100;

/**
 * Checks the values that a condition compares with.
 *
 * @throws {InvalidRequest} if DynamoDB refuses the type of a value
 * @throws {UnsupportedRequest} if the engine does not compare a value as DynamoDB does
 */
export const checkTerms = ({ terms }: Condition, values: Values): void => {
  for (const term of terms) {
    const check = checks[term.operator] ?? ordered;
    for (const [type, value] of valuesOf(term, values)) check(type, value, term.operator);
    if (term.operator === "<>" && term.operands.some(({ kind }) => kind === "size")) {
      throw new UnsupportedRequest("<> with size()");
    }
    if (term.operator === "in" && term.operands.length - 1 > maximumAlternatives) {
      throw new InvalidRequest("Too many operands for operator or function; operator or function: IN");
    }
  }
};

/** The type and the content of each value. One that is not defined is left to the engine, which refuses it. */
const valuesOf = ({ operands }: Term, values: Values): [string, unknown][] =>
  operands.flatMap(({ kind, name }) => {
    const value = kind === "value" ? values[name] : undefined;
    return isRecord(value) ? Object.entries(value).slice(0, 1) : [];
  });

const ordered: CheckValue = (type, value, operator) => {
  if (!["S", "N", "B"].includes(type)) {
    throw new InvalidRequest(
      `Incorrect operand type for operator or function; operator or function: ${operator.toUpperCase()}, operand type: ${type}`,
    );
  }
  // The engine compares UTF-16 code units instead of bytes of UTF-8. Below U+D800 the order is the same.
  if (type === "S" && /[\ud800-\uffff]/.test(String(value))) {
    throw new UnsupportedRequest(`${operator} with characters from U+D800 on`);
  }
};

const equal: CheckValue = (type, _value, operator) => {
  if (type === "L" || type === "M") throw new UnsupportedRequest(`${operator} with a list or a map`);
};

const notEmpty: CheckValue = (type, value, operator) => {
  if (value === "" || value === false) throw new UnsupportedRequest(`${operator} with an empty value or false`);
  if (type === "L" || type === "M") throw new UnsupportedRequest(`${operator} with a list or a map`);
};

const checks: Record<string, CheckValue> = {
  "=": equal,
  "<>": equal,
  in: notEmpty,
  between(type, value, operator) {
    ordered(type, value, operator);
    notEmpty(type, value, operator);
  },
  contains(type, value, operator) {
    if ((type !== "S" && type !== "N") || value === "") {
      throw new UnsupportedRequest(`${operator} with anything but a number or a string that is not empty`);
    }
  },
  begins_with(type, _value, operator) {
    // The engine refuses other types as DynamoDB does.
    if (type === "B") throw new UnsupportedRequest(`${operator} with a binary value`);
  },
};
