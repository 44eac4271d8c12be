import { invalid, UnsupportedRequest } from "./errors.ts";
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
  contains,
};

/** Whether a condition holds for an item; an item that does not exist has no attributes. */
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

const evaluate = ({ kind, name }: Operand, item: Item, { nameOf, valueNamed }: Placeholders): Value => {
  if (kind === "value") return valueNamed(name);
  const value = item[nameOf(name)];
  if (kind === "attribute" || value === undefined) return value;
  const length = lengthOf(value);
  return length === undefined ? undefined : { N: String(length) };
};

const orderedTypes = ["S", "N", "B"];
const allowedTypes: Record<string, string[]> = {
  "<": orderedTypes,
  "<=": orderedTypes,
  ">": orderedTypes,
  ">=": orderedTypes,
  BETWEEN: orderedTypes,
  begins_with: ["S", "B"],
};

/** Refuses values that DynamoDB refuses before it looks at an item. */
export const checkCondition = (parameter: string, condition: Condition, placeholders: Placeholders): void =>
  read(parameter, () => checkTests(condition, placeholders));

const checkTests = (condition: Condition, { valueNamed }: Placeholders): void => {
  for (const { operator, operands } of testsOf(condition)) {
    const values = operands.filter(({ kind }) => kind === "value").map(({ name }) => valueNamed(name));
    const wrong = values.find((value) => !(allowedTypes[operator]?.includes(typeOf(value)) ?? true));
    if (wrong) {
      throw invalid(
        `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${typeOf(wrong)}`,
      );
    }
    if (operator === "IN" && values.length > maximumAlternatives) {
      throw invalid("Too many operands for operator or function; operator or function: IN");
    }
    const [first, second] = values;
    if (operator === "contains" && !(first && ["S", "N", "B"].includes(typeOf(first)))) {
      throw new UnsupportedRequest("contains with anything but a string, a number or a binary");
    }
    if (operator === "BETWEEN" && first && second) checkBounds(first, second);
    if (operator !== "attribute_exists" && operator !== "attribute_not_exists") checkDistinct(operator, operands);
  }
};

const checkBounds = (lower: AttributeValue, upper: AttributeValue): void => {
  const bounds = `lower bound operand: AttributeValue: ${JSON.stringify(lower)}, upper bound operand: AttributeValue: ${JSON.stringify(upper)}`;
  const order = compare(lower, upper);
  if (order === undefined) {
    throw invalid(`The BETWEEN operator requires same data type for lower and upper bounds; ${bounds}`);
  }
  if (order > 0) {
    throw invalid(`The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${bounds}`);
  }
};

const checkDistinct = (operator: string, [first, ...others]: Operand[]): void => {
  if (!others.some((one) => one.kind === first?.kind && one.name === first.name)) return;
  throw invalid(
    `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: [${first?.name}]`,
  );
};
