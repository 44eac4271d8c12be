import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { apply, holds, type Item } from "cdk-local-runner/dynamodb-model";
import { keyNamesOf, type TableKey } from "../../../lambdas/dynamodb/table.ts";
import { type Placeholders, parseCondition, parseUpdate } from "./parse-expression.ts";

/** A request as its body says it, as far as this service uses DynamoDB. */
export interface DatabaseRequest extends Placeholders {
  TableName: string;
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string;
  UpdateExpression?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ReturnValues?: "NONE" | "ALL_OLD" | "ALL_NEW" | "UPDATED_OLD" | "UPDATED_NEW";
  ReturnValuesOnConditionCheckFailure?: "NONE" | "ALL_OLD";
  ExclusiveStartKey?: Item;
  Limit?: number;
}

export interface DatabaseAnswer {
  status: number;
  body: object;
}

/** What a request made of an item. */
export interface Change {
  table: string;
  /** The text of the item's key. */
  key: string;
  before: Item | undefined;
  after: Item | undefined;
}

export interface Database {
  /** Performs a request at once, and reports the item that it wrote, if any. */
  perform(operation: string, request: DatabaseRequest): { answer: DatabaseAnswer; change?: Change };
  /** The items of a table, by the text of their key. */
  itemsOf(table: string): ReadonlyMap<string, Item>;
  /** A database with the same items, which changes by itself. Items are never modified in place. */
  copy(): Database;
}

type Tables = ReadonlyMap<string, TableKey & { items: Map<string, Item> }>;

/** DynamoDB as its documentation describes it, in memory: one request after the other, and reads are consistent. */
export const createDatabase = (schemas: Readonly<Record<string, TableKey>>): Database =>
  openDatabase(new Map(Object.entries(schemas).map(([name, schema]) => [name, { ...schema, items: new Map() }])));

const openDatabase = (tables: Tables): Database => ({
  perform(operation, request) {
    const table = tables.get(request.TableName);
    const performer = performers.get(operation);
    if (!table || !performer) return { answer: failure("ValidationException", `There is no ${request.TableName}.`) };
    return performer(table, request);
  },
  itemsOf: (name) => tables.get(name)?.items ?? new Map(),
  copy: () =>
    openDatabase(new Map([...tables].map(([name, table]) => [name, { ...table, items: new Map(table.items) }]))),
});

type Performed = ReturnType<Database["perform"]>;
type Table = TableKey & { items: Map<string, Item> };

const keyText = (key: TableKey, item: Item): string =>
  keyNamesOf(key)
    .map((name) => item[name]?.S)
    .join(" ");

const keyOf = (key: TableKey, item: Item): Item => {
  const names = keyNamesOf(key);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
};

const failure = (type: string, message: string, more: object = {}): DatabaseAnswer => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more },
});

const success = (body: object): DatabaseAnswer => ({ status: 200, body });

const get = (table: Table, { Key = {} }: DatabaseRequest): Performed => {
  const item = table.items.get(keyText(table, Key));
  return { answer: success(item ? { Item: item } : {}) };
};

/** Writes an item if the condition holds; `make` returns what becomes of it. */
const write = (
  table: Table,
  request: DatabaseRequest,
  { key, make }: { key: Item; make: (before: Item | undefined) => Item | undefined | "refused" },
): Performed => {
  const text = keyText(table, key);
  const before = table.items.get(text);
  if (request.ConditionExpression !== undefined) {
    if (!holds(parseCondition(request.ConditionExpression, request), before ?? {})) {
      const shown = request.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && before ? { Item: before } : {};
      return { answer: failure("ConditionalCheckFailedException", "The conditional request failed", shown) };
    }
  }
  const after = make(before);
  if (after === "refused") return { answer: failure("ValidationException", "An operand has an incorrect type") };
  if (after) table.items.set(text, after);
  else table.items.delete(text);
  return {
    answer: success(returned(request, before, after)),
    change: { table: request.TableName, key: text, before, after },
  };
};

const returned = (
  { ReturnValues = "NONE", UpdateExpression, ...placeholders }: DatabaseRequest,
  before?: Item,
  after?: Item,
) => {
  if (ReturnValues === "NONE") return {};
  const source = ReturnValues.endsWith("OLD") ? before : after;
  if (!source) return {};
  if (ReturnValues.startsWith("ALL")) return { Attributes: source };
  const names = Object.keys(parseUpdate(UpdateExpression ?? "", placeholders));
  const changed = Object.entries(source).filter(([name]) => names.includes(name));
  return changed.length === 0 ? {} : { Attributes: Object.fromEntries(changed) };
};

const put = (table: Table, request: DatabaseRequest): Performed =>
  write(table, request, { key: request.Item ?? {}, make: () => request.Item });

const update = (table: Table, request: DatabaseRequest): Performed => {
  const { Key = {}, UpdateExpression = "" } = request;
  const actions = parseUpdate(UpdateExpression, request);
  return write(table, request, { key: Key, make: (before) => apply(actions, before ?? Key) ?? "refused" });
};

const remove = (table: Table, request: DatabaseRequest): Performed =>
  write(table, request, { key: request.Key ?? {}, make: () => undefined });

const byKey = ([one]: [string, Item], [other]: [string, Item]): number => (one < other ? -1 : 1);

/** A page of items in the order of their keys. `Limit` counts the items that are looked at, as in DynamoDB. */
const page = (table: Table, request: DatabaseRequest, isWanted: (item: Item) => boolean): Performed => {
  const { ExclusiveStartKey, Limit = Number.POSITIVE_INFINITY, FilterExpression } = request;
  const start = ExclusiveStartKey && keyText(table, ExclusiveStartKey);
  const candidates = [...table.items]
    .filter(([key, item]) => isWanted(item) && (start === undefined || key > start))
    .toSorted(byKey)
    .map(([, item]) => item);
  const seen = candidates.slice(0, Limit);
  const filter = FilterExpression === undefined ? undefined : parseCondition(FilterExpression, request);
  const found = filter ? seen.filter((item) => holds(filter, item)) : seen;
  const last = seen.length === Limit ? seen.at(-1) : undefined;
  return {
    answer: success({
      Items: found,
      Count: found.length,
      ScannedCount: seen.length,
      ...(last && { LastEvaluatedKey: keyOf(table, last) }),
    }),
  };
};

const scan = (table: Table, request: DatabaseRequest): Performed => page(table, request, () => true);

const query = (table: Table, request: DatabaseRequest): Performed => {
  const condition = parseCondition(request.KeyConditionExpression ?? "", request);
  return page(table, request, (item) => holds(condition, item));
};

const performers = new Map<string, (table: Table, request: DatabaseRequest) => Performed>(
  Object.entries({
    GetItem: get,
    PutItem: put,
    UpdateItem: update,
    DeleteItem: remove,
    Scan: scan,
    Query: query,
  }),
);

/** A value of a string attribute. */
export const textOf = (value: AttributeValue | undefined): string | undefined => value?.S;
