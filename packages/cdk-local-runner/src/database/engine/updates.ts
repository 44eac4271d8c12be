import { assertValid } from "./errors.ts";
import { addNumbers } from "./numbers.ts";
import type { Action } from "./parse-expression.ts";
import type { Placeholders } from "./placeholders.ts";
import { type AttributeValue, type Item, membersOf, typeOf } from "./values.ts";

/** Whether an update only removes or deletes, so that it doesn't create an item. */
export const onlyRemoves = (actions: Action[]): boolean =>
  actions.length > 0 && actions.every(({ kind }) => kind === "remove" || kind === "delete");

/** Rejects actions that DynamoDB rejects before it looks at an item. */
export const checkUpdate = (actions: Action[], keys: string[], { nameOf, valueNamed }: Placeholders): void => {
  const changed = new Set<string>();
  for (const action of actions) {
    const name = nameOf(action.name);
    assertValid(
      !keys.includes(name),
      `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
    );
    assertValid(!changed.has(name), `Invalid UpdateExpression: Two document paths overlap with each other: [${name}]`);
    changed.add(name);
    if (action.kind !== "add" && action.kind !== "delete") continue;
    const value = valueNamed(action.value);
    const isPossible = membersOf(value) !== undefined || (action.kind === "add" && value.N !== undefined);
    assertValid(isPossible, `Invalid UpdateExpression: Incorrect operand type for ${action.kind}: ${typeOf(value)}`);
  }
};

/** Applies an update to an item. All actions see the item's state before the update. */
export const update = (actions: Action[], before: Item, placeholders: Placeholders): Item => {
  const after = { ...before };
  for (const action of actions) {
    const name = placeholders.nameOf(action.name);
    const value = changed(action, before, placeholders);
    if (value === undefined) delete after[name];
    else after[name] = value;
  }
  return after;
};

const changed = (action: Action, before: Item, { nameOf, valueNamed }: Placeholders): AttributeValue | undefined => {
  const old = before[nameOf(action.name)];
  switch (action.kind) {
    case "remove":
      return undefined;
    case "set":
      return valueNamed(action.value);
    case "default":
      return before[nameOf(action.source)] ?? valueNamed(action.value);
    case "copy": {
      const value = before[nameOf(action.source)];
      assertValid(value !== undefined, "The expression refers to an attribute that does not exist in the item");
      return value;
    }
    case "add": {
      const value = valueNamed(action.value);
      if (old === undefined) return value;
      const [one, other] = pairOf(old, value);
      if (one.N !== undefined && other.N !== undefined) return { N: addNumbers(one.N, other.N) };
      return setOf(old, [...new Set([...(membersOf(one) ?? []), ...(membersOf(other) ?? [])])]);
    }
    case "delete": {
      if (old === undefined) return undefined;
      const [one, other] = pairOf(old, valueNamed(action.value));
      const rest = (membersOf(one) ?? []).filter((member) => !membersOf(other)?.includes(member));
      return rest.length === 0 ? undefined : setOf(old, rest);
    }
  }
};

const pairOf = (old: AttributeValue, value: AttributeValue): [AttributeValue, AttributeValue] => {
  assertValid(typeOf(old) === typeOf(value), "An operand in the update expression has an incorrect data type");
  return [old, value];
};

const setOf = ({ SS, NS }: AttributeValue, members: string[]): AttributeValue => {
  if (SS) return { SS: members };
  return NS ? { NS: members } : { BS: members };
};
