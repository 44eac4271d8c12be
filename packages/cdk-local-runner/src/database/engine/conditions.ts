import { isDeepStrictEqual } from "node:util";
import { assertValid, UnsupportedRequest } from "./errors.ts";
import { type Condition, type Operand, testsOf } from "./parse-expression.ts";
import { type Placeholders, read } from "./placeholders.ts";
import { type AttributeValue, bytesOf, compare, type Item, isEqual, lengthOf, membersOf, typeOf } from "./values.ts";

const maximumAlternatives = 100;

type Value = AttributeValue | undefined;

const inOrder = (left: Value, right: Value, accepts: (order: number) => boolean): boolean => {
  const order = left && right && compare(left, right);
  return order !== undefined && accepts(order);
};

const areEqual = (left: Value, right: Value): boolean =>
  left !== undefined && right !== undefined && isEqual(left, right);

const contains = (whole: Value, part: Value): boolean => {
  if (whole === undefined || part === undefined) return false;
  if (whole.L) return whole.L.some((member) => isEqual(member, part));
  const members = membersOf(whole);
  if (members) return typeOf(whole) === `${typeOf(part)}S` && members.includes(part.S ?? part.N ?? part.B ?? "");
  return isOfOneType(whole, part) && (bytesOf(whole)?.includes(bytesOf(part) ?? "") ?? false);
};

const beginsWith = (whole: Value, start: Value): boolean => {
  const [bytes, first] = [whole && bytesOf(whole), start && bytesOf(start)];
  return isOfOneType(whole, start) && bytes !== undefined && first !== undefined && bytes.indexOf(first) === 0;
};

const isOfOneType = (left: Value, right: Value): boolean =>
  left !== undefined && right !== undefined && typeOf(left) === typeOf(right);

const tests: Record<string, (first: Value, second: Value, others: Value[]) => boolean> = {
  "=": areEqual,
  "<>": (left, right) => !areEqual(left, right),
  "<": (left, right) => inOrder(left, right, (order) => order < 0),
  "<=": (left, right) => inOrder(left, right, (order) => order <= 0),
  ">": (left, right) => inOrder(left, right, (order) => order > 0),
  ">=": (left, right) => inOrder(left, right, (order) => order >= 0),
  BETWEEN: (value, lower, [upper]) =>
    inOrder(value, lower, (order) => order >= 0) && inOrder(value, upper, (order) => order <= 0),
  IN: (value, first, others) => [first, ...others].some((one) => areEqual(value, one)),
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  begins_with: beginsWith,
  attribute_type: (value, type) => value !== undefined && typeOf(value) === type?.S,
  contains,
};

/** Whether a condition holds for an item. A missing item has no attributes. */
export const holds = (condition: Condition, item: Item, placeholders: Placeholders): boolean => {
  switch (condition.kind) {
    case "and":
      return holds(condition.left, item, placeholders) && holds(condition.right, item, placeholders);
    case "or":
      return holds(condition.left, item, placeholders) || holds(condition.right, item, placeholders);
    case "not":
      return !holds(condition.inner, item, placeholders);
    case "test": {
      const [first, second, ...others] = condition.operands.map((operand) => evaluate(operand, item, placeholders));
      return tests[condition.operator]?.(first, second, others) ?? false;
    }
  }
};

export const evaluate = (operand: Operand, item: Item, { nameOf, valueNamed }: Placeholders): Value => {
  const { kind, name, steps } = operand;
  if (kind === "value") return valueNamed(name);
  const value = steps.reduce<Value>(
    (whole, step) => (typeof step === "number" ? whole?.L?.[step] : memberOf(whole?.M, nameOf(step))),
    memberOf(item, nameOf(name)),
  );
  if (kind === "attribute" || value === undefined) return value;
  const length = lengthOf(value);
  return length === undefined ? undefined : { N: String(length) };
};

const memberOf = (map: Item | undefined, name: string): Value =>
  map && Object.hasOwn(map, name) ? map[name] : undefined;

const orderedTypes = ["S", "N", "B"];
const allTypes = [...orderedTypes, "SS", "NS", "BS", "BOOL", "NULL", "L", "M"];
const allowedTypes: Record<string, string[]> = {
  "<": orderedTypes,
  "<=": orderedTypes,
  ">": orderedTypes,
  ">=": orderedTypes,
  BETWEEN: orderedTypes,
  begins_with: ["S", "B"],
  attribute_type: ["S"],
};

/** Rejects values that DynamoDB rejects before it looks at an item. */
export const checkCondition = (parameter: string, condition: Condition, placeholders: Placeholders): void =>
  read(parameter, () => checkTests(condition, placeholders));

const checkTests = (condition: Condition, { valueNamed }: Placeholders): void => {
  for (const { operator, operands } of testsOf(condition)) {
    const values = operands.filter(({ kind }) => kind === "value").map(({ name }) => valueNamed(name));
    const types = values.map(typeOf);
    const wrong = types.find((type) => !(allowedTypes[operator]?.includes(type) ?? true));
    assertValid(
      wrong === undefined,
      `Incorrect operand type for operator or function: ${operator}, operand type: ${wrong}`,
    );
    const isShort = operator !== "IN" || values.length <= maximumAlternatives;
    assertValid(isShort, "Too many operands for operator or function: IN");
    if (operator === "contains" && !orderedTypes.includes(types[0] ?? "")) {
      throw new UnsupportedRequest("contains with anything but a string, a number or a binary");
    }
    const [lower, upper] = values;
    const isKnown = operator !== "attribute_type" || allTypes.includes(lower?.S ?? "");
    assertValid(isKnown, `Invalid attribute type name found; type: ${lower?.S}, valid types: {${allTypes.join(",")}}`);
    if (operator === "BETWEEN" && lower && upper) {
      const order = compare(lower, upper);
      assertValid(order !== undefined, "The BETWEEN operator requires same data type for lower and upper bounds");
      assertValid(order <= 0, "The BETWEEN operator requires upper bound to be greater than or equal to lower bound");
    }
    const [first, ...others] = operands;
    const isTwice = others.some((other) => isDeepStrictEqual(other, first));
    assertValid(
      !isTwice,
      `The first operand must be distinct from the remaining operands: ${operator}, [${first?.name}]`,
    );
  }
};
