import { evaluate } from "./conditions.ts";
import { assertValid, invalid } from "./errors.ts";
import { addNumbers } from "./numbers.ts";
import type { Action, Value } from "./parse-expression.ts";
import type { Placeholders } from "./placeholders.ts";
import type { Path } from "./tokens.ts";
import { type AttributeValue, checkDepth, type Item, membersOf, typeOf } from "./values.ts";

/** Whether an update only removes or deletes, so that it doesn't create an item. */
export const onlyRemoves = (actions: Action[]): boolean =>
  actions.length > 0 && actions.every(({ kind }) => kind === "remove" || kind === "delete");

/** Rejects actions that DynamoDB rejects before it looks at an item. */
export const checkUpdate = (actions: Action[], keys: string[], placeholders: Placeholders): void => {
  const changed = new Map<string, Step[][]>();
  for (const action of actions) {
    const path = pathOf(action, placeholders);
    const [name = ""] = path.map(String);
    assertValid(
      !keys.includes(name),
      `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
    );
    const others = changed.get(name) ?? [];
    for (const other of others) checkApart(other, path);
    changed.set(name, [...others, path]);
    if (action.kind === "remove") continue;
    if (action.kind === "set") checkOperands(action.value, placeholders);
    else {
      const value = placeholders.valueNamed(action.value);
      const isPossible = membersOf(value) !== undefined || (action.kind === "add" && value.N !== undefined);
      assertValid(isPossible, `Invalid UpdateExpression: Incorrect operand type for ${action.kind}: ${typeOf(value)}`);
    }
  }
};

type Step = string | number;

const pathOf = ({ name, steps }: Path, { nameOf }: Placeholders): Step[] =>
  [name, ...steps].map((step) => (typeof step === "number" ? step : nameOf(step)));

/** Rejects a path into another, and paths that take the same value for a map and for a list. */
const checkApart = (one: Step[], other: Step[]): void => {
  const place = one.findIndex((step, index) => step !== other[index]);
  const [left, right] = [one[place], other[place]];
  if (left !== undefined && right !== undefined && typeof left === typeof right) return;
  const problem = left === undefined || right === undefined ? "overlap" : "conflict";
  throw invalid(
    `Invalid UpdateExpression: Two document paths ${problem} with each other; must remove or rewrite one of these paths; path one: [${one.join(", ")}], path two: [${other.join(", ")}]`,
  );
};

const checkOperands = (value: Value, placeholders: Placeholders): void => {
  if (!("left" in value)) return;
  for (const operand of [value.left, value.right]) {
    checkOperands(operand, placeholders);
    if (operand.kind !== "value" || value.kind === "if_not_exists") continue;
    const type = typeOf(placeholders.valueNamed(operand.name));
    assertValid(
      type === (value.kind === "list_append" ? "L" : "N"),
      `Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: ${value.kind}, operand type: ${type}`,
    );
  }
};

/** Applies an update to an item. All actions see the item's state before the update. */
export const update = (actions: Action[], before: Item, placeholders: Placeholders): Item => {
  const changes = actions.map((action) => ({
    path: pathOf(action, placeholders),
    value: changed(action, before, placeholders),
  }));
  // New members of a list are added in the order of their indexes. Removals come last, so that they move no other index.
  const inOrder = changes.toSorted((one, other) => compareSteps(one.path, other.path));
  const [sets, removals] = [inOrder.filter(({ value }) => value), inOrder.filter(({ value }) => !value).reverse()];
  const after = { ...before };
  for (const { path, value } of [...sets, ...removals]) {
    const [name = "", ...steps] = path;
    if (value) checkDepth(value, steps.length);
    const next = changedAt(after[name], steps, value);
    if (next === undefined) delete after[name];
    else after[name] = next;
  }
  return after;
};

const compareSteps = (one: Step[], other: Step[]): number => {
  const place = one.findIndex((step, index) => step !== other[index]);
  const [left, right] = [one[place] ?? "", other[place] ?? ""];
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left) < String(right) ? -1 : 1;
};

/** Returns a copy in which the value at a path is replaced, or removed if it is undefined. */
const changedAt = (
  whole: AttributeValue | undefined,
  [step, ...rest]: Step[],
  value: AttributeValue | undefined,
): AttributeValue | undefined => {
  if (step === undefined) return value;
  if (typeof step === "string" && whole?.M) {
    const { [step]: old, ...others } = whole.M;
    const next = changedAt(old, rest, value);
    return { M: next === undefined ? others : { ...whole.M, [step]: next } };
  }
  const list = typeof step === "number" ? whole?.L : undefined;
  assertValid(list !== undefined, "The document path provided in the update expression is invalid for update");
  const next = changedAt(list[Number(step)], rest, value);
  return { L: list.toSpliced(Number(step), 1, ...(next === undefined ? [] : [next])) };
};

const changed = (action: Action, before: Item, placeholders: Placeholders): AttributeValue | undefined => {
  const old = before[placeholders.nameOf(action.name)];
  switch (action.kind) {
    case "remove":
      return undefined;
    case "set":
      return assigned(action.value, before, placeholders);
    case "add": {
      const value = placeholders.valueNamed(action.value);
      if (old === undefined) return value;
      const [one, other] = pairOf(old, value);
      if (one.N !== undefined && other.N !== undefined) return { N: addNumbers(one.N, other.N) };
      return setOf(old, [...new Set([...(membersOf(one) ?? []), ...(membersOf(other) ?? [])])]);
    }
    case "delete": {
      if (old === undefined) return undefined;
      const [one, other] = pairOf(old, placeholders.valueNamed(action.value));
      const rest = (membersOf(one) ?? []).filter((member) => !membersOf(other)?.includes(member));
      return rest.length === 0 ? undefined : setOf(old, rest);
    }
  }
};

const wrongType = "An operand in the update expression has an incorrect data type";

const assigned = (value: Value, before: Item, placeholders: Placeholders): AttributeValue => {
  if (!("left" in value)) {
    const found = evaluate(value, before, placeholders);
    assertValid(found !== undefined, "The expression refers to an attribute that does not exist in the item");
    return found;
  }
  if (value.kind === "if_not_exists") {
    return evaluate(value.left, before, placeholders) ?? assigned(value.right, before, placeholders);
  }
  const [one, other] = [assigned(value.left, before, placeholders), assigned(value.right, before, placeholders)];
  if (value.kind === "list_append" && one.L && other.L) return { L: [...one.L, ...other.L] };
  assertValid(value.kind !== "list_append" && one.N !== undefined && other.N !== undefined, wrongType);
  return { N: addNumbers(one.N, value.kind === "+" ? other.N : negated(other.N)) };
};

const negated = (number: string): string => (number.startsWith("-") ? number.slice(1) : `-${number}`);

const pairOf = (old: AttributeValue, value: AttributeValue): [AttributeValue, AttributeValue] => {
  assertValid(typeOf(old) === typeOf(value), wrongType);
  return [old, value];
};

const setOf = ({ SS, NS }: AttributeValue, members: string[]): AttributeValue => {
  if (SS) return { SS: members };
  return NS ? { NS: members } : { BS: members };
};
