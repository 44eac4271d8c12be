import { checkCondition, holds } from "./conditions.ts";
import { assertValid, failure, UnsupportedRequest } from "./errors.ts";
import { checkItemKeys, checkKey, keyNamesOf, pick, placeInIndex, placeOfItem } from "./keys.ts";
import type { Parameters } from "./parameters.ts";
import type { Condition, Parsed } from "./parse-expression.ts";
import { type Placeholders, placeholdersOf } from "./placeholders.ts";
import type { Change, Context, Write } from "./storage.ts";
import type { Table } from "./tables.ts";
import { checkUpdate, onlyRemoves, update } from "./updates.ts";
import { type Item, itemBytes } from "./values.ts";

const maximumItemBytes = 409_600;

export const getItem = ({ storage, tableNamed }: Context, request: Parameters["GetItem"]) => {
  const table = tableNamed(request.TableName);
  const { ProjectionExpression: projection } = request;
  const { nameOf } = placeholdersOf(request, { ProjectionExpression: projection });
  const names = projection && distinctNames(projection.expression, nameOf);
  checkKey(table, request.Key);
  const item = storage.get(placeOfItem(table, request.Key));
  if (item === undefined) return {};
  return { Item: names ? pick(item, names) : item };
};

/** Returns the names of a projection. No name may occur twice. */
export const distinctNames = (names: string[], nameOf: Placeholders["nameOf"]): string[] => {
  const distinct = names.map(nameOf);
  const twice = distinct.find((name, place) => distinct.indexOf(name) < place);
  assertValid(
    twice === undefined,
    `Invalid ProjectionExpression: Two document paths overlap with each other: [${twice}]`,
  );
  return distinct;
};

interface ConditionalWrite {
  ConditionExpression?: Parsed<Condition> | undefined;
  ReturnValuesOnConditionCheckFailure?: string | undefined;
}

/** A change of one item, which may depend on the stored item. */
export interface Action extends ConditionalWrite {
  table: Table;
  key: Item;
  placeholders: Placeholders;
  /** Rejects what DynamoDB rejects before it looks at the stored item. */
  check: () => void;
  /** Returns the next state of the item; undefined if there is none. */
  next: (before: Item | undefined) => Item | undefined;
}

type Of<Name extends "PutItem" | "UpdateItem" | "DeleteItem"> = Omit<Parameters[Name], "ReturnValues">;

export const putOf = ({ tableNamed }: Context, request: Of<"PutItem">): Action => {
  const table = tableNamed(request.TableName);
  const { ConditionExpression, Item } = request;
  const placeholders = placeholdersOf(request, { ConditionExpression });
  return { ...request, table, key: Item, placeholders, check: () => checkItem(table, Item), next: () => Item };
};

/** Returns the deletion of an item, or the check of an item that stays unchanged. */
export const deletionOf = ({ tableNamed }: Context, request: Of<"DeleteItem">, isKept = false): Action => {
  const table = tableNamed(request.TableName);
  const { ConditionExpression, Key } = request;
  const placeholders = placeholdersOf(request, { ConditionExpression });
  const next = (before: Item | undefined) => (isKept ? before : undefined);
  return { ...request, table, key: Key, placeholders, check: () => checkKey(table, Key), next };
};

export const updateOf = ({ tableNamed }: Context, request: Of<"UpdateItem">): Action => {
  const table = tableNamed(request.TableName);
  const { ConditionExpression, UpdateExpression, Key } = request;
  const placeholders = placeholdersOf(request, { UpdateExpression, ConditionExpression });
  const actions = UpdateExpression?.expression ?? [];
  return {
    ...{ ...request, table, key: Key, placeholders },
    check() {
      checkKey(table, Key);
      checkUpdate(actions, keyNamesOf(table), placeholders);
    },
    next(before) {
      if (before === undefined && onlyRemoves(actions)) return undefined;
      const after = update(actions, before ?? Key, placeholders);
      return checkItem(table, after, "Item size to update");
    },
  };
};

export const putItem = (context: Context, request: Parameters["PutItem"]) => {
  const { before } = perform(context, putOf(context, request));
  return attributes(request.ReturnValues === "ALL_OLD" ? before : undefined);
};

export const deleteItem = (context: Context, request: Parameters["DeleteItem"]) => {
  const { before } = perform(context, deletionOf(context, request));
  return attributes(request.ReturnValues === "ALL_OLD" ? before : undefined);
};

export const updateItem = (context: Context, request: Parameters["UpdateItem"]) => {
  const { ReturnValues = "NONE", UpdateExpression } = request;
  const actions = UpdateExpression?.expression ?? [];
  if (ReturnValues.startsWith("UPDATED") && actions.some(({ steps }) => steps.length > 0)) {
    throw new UnsupportedRequest(`ReturnValues ${ReturnValues} for a path into a map or a list`);
  }
  const action = updateOf(context, request);
  const { before, after } = perform(context, action);
  if (ReturnValues === "NONE") return {};
  const shown = ReturnValues.endsWith("OLD") ? before : after;
  const changed = actions.map(({ name }) => action.placeholders.nameOf(name));
  return attributes(shown && (ReturnValues.startsWith("ALL") ? shown : pick(shown, changed)));
};

const attributes = (item: Item | undefined) =>
  item === undefined || Object.keys(item).length === 0 ? {} : { Attributes: item };

const perform = (context: Context, action: Action) => {
  action.check();
  const write = writeOf(context, action);
  if (write.before ?? write.after) writeAll(context, [write]);
  return write;
};

/** A write with the table that it concerns. */
export type TableWrite = Write & { of: Table };

/** Reads the current item, for which the condition must hold, and returns what becomes of it. */
export const writeOf = ({ storage }: Context, action: Action): TableWrite => {
  const { table, key, placeholders, ConditionExpression: condition } = action;
  if (condition) checkCondition("ConditionExpression", condition.expression, placeholders);
  const before = storage.get(placeOfItem(table, key));
  if (condition && !holds(condition.expression, before ?? {}, placeholders)) {
    const isShown = action.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && before;
    throw failure("ConditionalCheckFailedException", "The conditional request failed", isShown ? { Item: before } : {});
  }
  return { of: table, table: table.name, key: pick(key, keyNamesOf(table)), before, after: action.next(before) };
};

/** Checks an item that is about to be stored. */
const checkItem = (table: Table, item: Item, what = "Item size"): Item => {
  checkItemKeys(table, item);
  assertValid(itemBytes(item) <= maximumItemBytes, `${what} has exceeded the maximum allowed size`);
  return item;
};

/** Stores all writes, and other changes, together. */
export const writeAll = (context: Context, writes: TableWrite[], others: Change[] = []): void => {
  context.storage.write([...writes.flatMap(({ of, before, after }) => [...changesOf(of, before, after)]), ...others]);
  for (const { of: _, ...write } of writes) context.onWrite(write);
};

/** Returns the changes to an item and to its index entries. An index entry contains its item's key. */
export function* changesOf(table: Table, before: Item | undefined, after: Item | undefined): Generator<Change> {
  const item = after ?? before;
  if (item === undefined) return;
  yield [placeOfItem(table, item), after];
  for (const index of table.indexes) {
    const [old, next] = [before, after].map((one) => one && placeInIndex(table, index, one));
    if (old === next) continue;
    if (old !== undefined) yield [old, undefined];
    if (next !== undefined) yield [next, pick(item, keyNamesOf(table))];
  }
}

const maximumWrites = 25;

export const batchWrite = (context: Context, { RequestItems }: Parameters["BatchWriteItem"]) => {
  const { storage, tableNamed } = context;
  const requests = Object.entries(RequestItems).flatMap(([name, list]) =>
    list.map((request) => ({ table: tableNamed(name), ...request })),
  );
  const writes = requests.map(({ table, PutRequest: put, DeleteRequest: deletion }) => {
    assertValid(
      (put === undefined) !== (deletion === undefined),
      "A write must be either a PutRequest or a DeleteRequest",
    );
    if (put) checkItem(table, put.Item);
    if (deletion) checkKey(table, deletion.Key);
    const key = pick(put?.Item ?? deletion?.Key ?? {}, keyNamesOf(table));
    return { table, key, place: placeOfItem(table, key), after: put?.Item };
  });
  const places = writes.map(({ place }) => place);
  assertValid(places.length > 0, "The requestItems parameter is required for BatchWriteItem");
  assertValid(places.length <= maximumWrites, "Too many items requested for the BatchWriteItem call");
  assertValid(new Set(places).size === places.length, "Provided list of item keys contains duplicates");
  for (const { table, key, place, after } of writes) {
    const before = storage.get(place);
    if (before === undefined && after === undefined) continue;
    writeAll(context, [{ of: table, table: table.name, key, before, after }]);
  }
  return { UnprocessedItems: {} };
};
