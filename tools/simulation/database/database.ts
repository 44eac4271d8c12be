import { createMemoryStorage, type Item, openEngine, type Response, type Write } from "cdk-local-runner/database";
import { type AnyTable, keyNamesOf, type TableKey } from "../../../lambdas/dynamodb/table.ts";
import { tableDefinition } from "../../support/create-table.ts";

/** The body of a request, with the parts that plants look at or change. */
export interface DatabaseRequest {
  TableName: string;
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

export type DatabaseAnswer = Response;

/** The effect of a request on an item. */
export interface Change extends Omit<Write, "key"> {
  /** The text of the item's key. */
  key: string;
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
  /** An independent copy of the database. */
  copy(): Database;
}

/** A request that a plant has changed, without the parameters that it does not need any longer: DynamoDB refuses those. */
export const withoutUnused = (operation: string, request: DatabaseRequest): DatabaseRequest => {
  const {
    UpdateExpression,
    ExpressionAttributeNames: names = {},
    ExpressionAttributeValues: values = {},
    ...rest
  } = request;
  const kept = operation === "UpdateItem" && UpdateExpression !== undefined ? { ...rest, UpdateExpression } : rest;
  const expressions = Object.entries(kept).flatMap(([name, text]) =>
    name.endsWith("Expression") ? [String(text)] : [],
  );
  const used = new Set(expressions.join(" ").match(/[#:]\w+/g));
  const usedOf = <Value>(placeholders: Record<string, Value>): Record<string, Value> | undefined => {
    const entries = Object.entries(placeholders).filter(([name]) => used.has(name));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  const [ExpressionAttributeNames, ExpressionAttributeValues] = [usedOf(names), usedOf(values)];
  return {
    ...kept,
    ...(ExpressionAttributeNames && { ExpressionAttributeNames }),
    ...(ExpressionAttributeValues && { ExpressionAttributeValues }),
  };
};

type Schema = TableKey & Pick<AnyTable, "timeOfChange" | "timeToLive" | "hasHistory">;
type Schemas = Readonly<Record<string, Schema>>;

/** The embedded database in memory, without a network: one request after the other, and reads are consistent. */
export const createDatabase = (schemas: Schemas): Database => {
  const storage = createMemoryStorage();
  const engine = openEngine({ storage, now: () => 0 });
  for (const [name, schema] of Object.entries(schemas)) engine.perform("CreateTable", tableDefinition(name, schema));
  return databaseOf(schemas, storage);
};

const databaseOf = (schemas: Schemas, storage: ReturnType<typeof createMemoryStorage>): Database => {
  const changes: Change[] = [];
  /** What was read since the last change of a table. */
  const known = new Map<string, Map<string, Item>>();
  const keyText = (table: string, item: Item): string =>
    keyNamesOf(schemas[table] ?? { partitionKey: "" })
      .map((name) => item[name]?.S)
      .join(" ");
  const engine = openEngine({
    storage,
    onWrite({ key, ...write }) {
      changes.push({ ...write, key: keyText(write.table, key) });
      known.delete(write.table);
    },
  });

  return {
    perform(operation, request) {
      changes.length = 0;
      const answer = engine.perform(operation, request);
      const [change] = changes;
      return change ? { answer, change } : { answer };
    },
    itemsOf(table) {
      const items = known.get(table) ?? new Map([...engine.itemsOf(table)].map((item) => [keyText(table, item), item]));
      known.set(table, items);
      return items;
    },
    deleteDue: (now) =>
      Object.entries(schemas).flatMap(([table, { timeToLive = "" }]) =>
        engine.deleteExpired(table, timeToLive, now).map((item) => ({ table, key: keyText(table, item), item })),
      ),
    copy: () => databaseOf(schemas, storage.copy()),
  };
};
