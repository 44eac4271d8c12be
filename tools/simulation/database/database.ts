import { apply, holds, type Item } from "cdk-local-runner/dynamodb-model";
import { changeIndex } from "../../../lambdas/dynamodb/history.ts";
import { type AnyTable, keyNamesOf, type TableKey } from "../../../lambdas/dynamodb/table.ts";
import { type Placeholders, parseCondition, parseUpdate } from "./parse-expression.ts";

/** The body of a request, with the parts of DynamoDB that this service uses. */
export interface DatabaseRequest extends Placeholders {
  TableName: string;
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string;
  UpdateExpression?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ProjectionExpression?: string;
  IndexName?: string;
  ScanIndexForward?: boolean;
  ReturnValues?: "NONE" | "ALL_OLD" | "ALL_NEW" | "UPDATED_OLD" | "UPDATED_NEW";
  ReturnValuesOnConditionCheckFailure?: "NONE" | "ALL_OLD";
  ExclusiveStartKey?: Item;
  Limit?: number;
}

export interface DatabaseAnswer {
  status: number;
  body: object;
}

/** The effect of a request on an item. */
export interface Change {
  table: string;
  /** The text of the item's key. */
  key: string;
  before: Item | undefined;
  after: Item | undefined;
}

/** An item that was deleted because its time to live had passed. */
export interface Deleted {
  table: string;
  key: string;
  item: Item;
}

export interface Database {
  /** Performs a request at once, and reports the item that it wrote, if any. */
  perform(operation: string, request: DatabaseRequest): { answer: DatabaseAnswer; change?: Change };
  /** The items of a table, by the text of their key. */
  itemsOf(table: string): ReadonlyMap<string, Item>;
  /** Deletes the items whose time to live has passed at a time (Unix milliseconds). */
  deleteDue(now: number): Deleted[];
  /** An independent copy of the database. Items are never modified in place. */
  copy(): Database;
}

type Schema = TableKey & Pick<AnyTable, "timeOfChange" | "timeToLive">;
type Tables = ReadonlyMap<string, Schema & { items: Map<string, Item> }>;

/** DynamoDB as its documentation describes it, in memory: one request after the other, and reads are consistent. */
export const createDatabase = (schemas: Readonly<Record<string, Schema>>): Database =>
  openDatabase(new Map(Object.entries(schemas).map(([name, schema]) => [name, { ...schema, items: new Map() }])));

const openDatabase = (tables: Tables): Database => ({
  perform(operation, request) {
    const table = tables.get(request.TableName);
    const performer = performers.get(operation);
    if (!table || !performer) return { answer: failure("ValidationException", `There is no ${request.TableName}.`) };
    return performer(table, request);
  },
  itemsOf: (name) => tables.get(name)?.items ?? new Map(),
  deleteDue: (now) => [...tables].flatMap(([name, table]) => deleteDueIn(name, table, now)),
  copy: () =>
    openDatabase(new Map([...tables].map(([name, table]) => [name, { ...table, items: new Map(table.items) }]))),
});

type Performed = ReturnType<Database["perform"]>;
type Table = Schema & { items: Map<string, Item> };

const keyText = (key: TableKey, item: Item): string =>
  keyNamesOf(key)
    .map((name) => item[name]?.S)
    .join(" ");

const failure = (type: string, message: string, more: object = {}): DatabaseAnswer => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message, ...more },
});

const success = (body: object): DatabaseAnswer => ({ status: 200, body });

const get = (table: Table, { Key = {} }: DatabaseRequest): Performed => {
  const item = table.items.get(keyText(table, Key));
  return { answer: success(item ? { Item: item } : {}) };
};

/** Writes an item if the condition holds; `make` returns the new item. */
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

const deleteDueIn = (name: string, { items, timeToLive = "" }: Table, now: number): Deleted[] =>
  [...items].flatMap(([key, item]) => {
    const isDue = item[timeToLive] !== undefined && Number(item[timeToLive].N) * 1000 <= now;
    return isDue && items.delete(key) ? [{ table: name, key, item }] : [];
  });

interface Entry {
  /** Where the item is in its table or index. */
  place: string;
  key: string;
  item: Item;
}

const inOrder = (one: Entry, other: Entry): number => (one.place < other.place ? -1 : 1);

/** A page of items in the order of their places. `Limit` counts the items that are looked at, as in DynamoDB. */
const page = (table: Table, request: DatabaseRequest, isWanted: (item: Item) => boolean): Performed => {
  const { ExclusiveStartKey, Limit = Number.POSITIVE_INFINITY, FilterExpression, IndexName } = request;
  if (IndexName !== undefined && IndexName !== changeIndex.name) {
    return { answer: failure("ValidationException", `The table does not have the specified index: ${IndexName}`) };
  }
  const isBackwards = request.ScanIndexForward === false;
  const names = IndexName === undefined ? keyNamesOf(table) : indexNamesOf(table);
  // The keys of a table come last, because items of an index can have equal places in it.
  const placeOf = (item: Item): string => `${names.map((name) => item[name]?.S).join(" ")} ${keyText(table, item)}`;
  const start = ExclusiveStartKey && placeOf(ExclusiveStartKey);
  const entries = [...table.items]
    .filter(([, item]) => names.every((name) => item[name] !== undefined) && isWanted(item))
    .map(([key, item]): Entry => ({ key, item, place: placeOf(item) }))
    .toSorted(inOrder);
  const candidates = (isBackwards ? entries.toReversed() : entries)
    .filter(({ place }) => start === undefined || (isBackwards ? place < start : place > start))
    .map(({ item }) => item);
  const seen = candidates.slice(0, Limit);
  const filter = FilterExpression === undefined ? undefined : parseCondition(FilterExpression, request);
  const found = filter ? seen.filter((item) => holds(filter, item)) : seen;
  const last = seen.length === Limit ? seen.at(-1) : undefined;
  const shown =
    IndexName === undefined ? projected(request) : pickOf([...keyNamesOf(table), ...names, ...changeIndex.attributes]);
  return {
    answer: success({
      Items: found.map(shown),
      Count: found.length,
      ScannedCount: seen.length,
      ...(last && { LastEvaluatedKey: pickOf([...keyNamesOf(table), ...names])(last) }),
    }),
  };
};

const indexNamesOf = ({ timeOfChange = "" }: Table): string[] => [changeIndex.partitionKey, timeOfChange];

const pickOf = (names: readonly string[]) => {
  const wanted = new Set(names);
  return (item: Item): Item => Object.fromEntries(Object.entries(item).filter(([name]) => wanted.has(name)));
};

const projected = ({
  ProjectionExpression,
  ExpressionAttributeNames = {},
}: DatabaseRequest): ((item: Item) => Item) => {
  if (ProjectionExpression === undefined) return (item) => item;
  return pickOf(ProjectionExpression.split(",").map((name) => ExpressionAttributeNames[name.trim()] ?? name.trim()));
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
