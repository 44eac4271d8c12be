import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/*
 * DynamoDB as its documentation describes it, for the subset that the embedded database supports: what a condition says
 * about an item, and what an update makes of one.
 */

export type Item = Record<string, AttributeValue>;

export type Condition =
  | { kind: "and" | "or"; left: Condition; right: Condition }
  | { kind: "not"; inner: Condition }
  | { kind: "exists" | "not exists"; name: string }
  | { kind: "contains" | "begins with"; name: string; value: AttributeValue }
  | { kind: "compare"; comparator: Comparator; name: string; value: AttributeValue; valueFirst: boolean }
  | { kind: "size"; comparator: Exclude<Comparator, "<>">; name: string; value: AttributeValue }
  | { kind: "between"; name: string; lower: AttributeValue; upper: AttributeValue }
  | { kind: "in"; name: string; values: AttributeValue[] };

export type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">=";

export type Action =
  | { kind: "set" | "add" | "delete"; value: AttributeValue }
  | { kind: "copy"; source: string }
  | { kind: "default"; source: string; value: AttributeValue }
  | { kind: "remove" };

export const holds = (condition: Condition, item: Item): boolean => {
  switch (condition.kind) {
    case "and":
      return holds(condition.left, item) && holds(condition.right, item);
    case "or":
      return holds(condition.left, item) || holds(condition.right, item);
    case "not":
      return !holds(condition.inner, item);
    case "exists":
      return item[condition.name] !== undefined;
    case "not exists":
      return item[condition.name] === undefined;
    case "contains":
      return contains(item[condition.name], condition.value);
    case "begins with":
      return item[condition.name]?.S?.startsWith(condition.value.S ?? "") ?? false;
    case "compare": {
      const attribute = item[condition.name];
      return condition.valueFirst
        ? compare(condition.comparator, condition.value, attribute)
        : compare(condition.comparator, attribute, condition.value);
    }
    case "size":
      return compare(condition.comparator, sizeOf(item[condition.name]), condition.value);
    case "between":
      return (
        compare(">=", item[condition.name], condition.lower) && compare("<=", item[condition.name], condition.upper)
      );
    case "in":
      return condition.values.some((value) => compare("=", item[condition.name], value));
  }
};

/** What an update makes of an item; undefined if DynamoDB refuses it because of the types of the attributes. */
export const apply = (actions: Record<string, Action>, before: Item): Item | undefined => {
  const after = { ...before };
  for (const [name, action] of Object.entries(actions)) {
    const old = before[name];
    const next = action.kind === "remove" ? undefined : changed(action, old, before);
    if (next === "refused") return undefined;
    if (next === undefined) delete after[name];
    else after[name] = next;
  }
  return after;
};

const changed = (
  action: Exclude<Action, { kind: "remove" }>,
  old: AttributeValue | undefined,
  before: Item,
): AttributeValue | "refused" | undefined => {
  switch (action.kind) {
    case "set":
      return action.value;
    case "copy":
      return before[action.source] ?? "refused";
    case "default":
      return before[action.source] ?? action.value;
    case "add":
      if (old === undefined) return action.value;
      if (typeOf(old) !== typeOf(action.value)) return "refused";
      if (action.value.N !== undefined) return { N: String(Number(old.N) + Number(action.value.N)) };
      return setOf(old, [...new Set([...members(old), ...members(action.value)])]);
    case "delete": {
      if (old === undefined) return undefined;
      if (typeOf(old) !== typeOf(action.value)) return "refused";
      const rest = members(old).filter((member) => !members(action.value).includes(member));
      return rest.length === 0 ? undefined : setOf(old, rest);
    }
  }
};

const typeOf = (value: AttributeValue): string => Object.keys(value)[0] ?? "";

const members = ({ SS = [], NS = [] }: AttributeValue): string[] => [...SS, ...NS];

const setOf = ({ SS }: AttributeValue, values: string[]): AttributeValue => (SS ? { SS: values } : { NS: values });

const compare = (
  comparator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean => {
  if (left === undefined || right === undefined || typeOf(left) !== typeOf(right)) return comparator === "<>";
  const order = orderOf(left, right);
  switch (comparator) {
    case "=":
      return order === 0;
    case "<>":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
};

/** Numbers by their value, strings and binaries by their bytes; other values are equal or not. */
const orderOf = (left: AttributeValue, right: AttributeValue): number => {
  if (left.N !== undefined && right.N !== undefined) return Number(left.N) - Number(right.N);
  if (left.S !== undefined && right.S !== undefined) return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S));
  if (left.B !== undefined && right.B !== undefined) return Buffer.compare(left.B, right.B);
  return JSON.stringify(canonical(left)) === JSON.stringify(canonical(right)) ? 0 : 1;
};

const contains = (attribute: AttributeValue | undefined, value: AttributeValue): boolean => {
  if (attribute?.S !== undefined) return value.S !== undefined && attribute.S.includes(value.S);
  if (attribute?.L !== undefined) return attribute.L.some((member) => compare("=", member, value));
  if (attribute?.SS !== undefined) return value.S !== undefined && attribute.SS.includes(value.S);
  return attribute?.NS !== undefined && value.N !== undefined && attribute.NS.includes(value.N);
};

const sizeOf = (attribute: AttributeValue | undefined): AttributeValue | undefined => {
  if (attribute === undefined) return undefined;
  const { S, L, M, SS, NS } = attribute;
  const size = S ?? L ?? SS ?? NS ?? Object.keys(M ?? {});
  return { N: String(size.length) };
};

/** The value with its sets sorted, for comparisons. */
export const canonical = (value: AttributeValue): AttributeValue => {
  if (value.SS) return { SS: value.SS.toSorted() };
  return value.NS ? { NS: value.NS.toSorted() } : value;
};
