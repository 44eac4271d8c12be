import { createMemoryStorage, type Item, openEngine, type Response, type Write } from "cdk-local-runner/database";
import { type AnyTable, keyNamesOf, type TableKey } from "../../../../lambdas/dynamodb/table.ts";
import { tableDefinition } from "../../../../test/kit/support/create-table.ts";

/** The parts of a request that decide whether a replica may serve it. */
interface DatabaseRequest {
  TableName: string;
  Key?: Item;
  ConsistentRead?: boolean;
  IndexName?: string;
}

export type DatabaseAnswer = Response;

/** The effect of a request on an item. */
export interface Change extends Omit<Write, "key"> {
  /** The item's key, as text. */
  key: string;
}

/** An item that was deleted because its time to live had passed. */
export interface Deleted {
  table: string;
  key: string;
  item: Item;
}

export interface Database {
  /** Performs a request at once, and reports the items that it wrote. */
  perform(operation: string, request: DatabaseRequest): { answer: DatabaseAnswer; changes: Change[] };
  /** Brings the indexes of a table up to date with one of its items. */
  index(table: string, key: string): void;
  /** Returns the items of a table, by their keys as text. */
  itemsOf(table: string): ReadonlyMap<string, Item>;
  /** Deletes the items whose time to live has passed at the given time (Unix milliseconds). */
  deleteDue(now: number): Deleted[];
  /** Returns an independent copy of the database. */
  copy(): Database;
}

interface Options {
  /** Whether a write is invisible to reads by an index until `index` is called. */
  indexesLag?: boolean;
}

type Schema = TableKey & Pick<AnyTable, "timeToLive"> & Partial<Pick<AnyTable, "indexes" | "schema">>;
type Schemas = Readonly<Record<string, Schema>>;

/**
 * Creates the embedded database in memory, without a network. It performs one request after the other. A read returns an item as it
 * was before its last write, unless the request asks for a consistent read.
 */
export const createDatabase = (schemas: Schemas, { indexesLag = false }: Options = {}): Database => {
  const storage = createMemoryStorage();
  const engine = openEngine({ storage, now: () => 0 });
  for (const [name, schema] of Object.entries(schemas)) engine.perform("CreateTable", tableDefinition(name, schema));
  return databaseOf(schemas, storage, indexesLag ? storage.copy() : undefined);
};

type MemoryStorage = ReturnType<typeof createMemoryStorage>;

/** @param indexed what the indexes know, if they lag behind the tables */
const databaseOf = (schemas: Schemas, storage: MemoryStorage, indexed?: MemoryStorage): Database => {
  let changes: Change[] = [];
  /** The items that were read since the last change of a table. */
  const known = new Map<string, Map<string, Item>>();
  /** The items on a replica that has not received their last write yet. */
  const replica = new Map<string, Item | undefined>();
  const keyText = (table: string, item: Item): string =>
    keyNamesOf(schemas[table] ?? { partitionKey: "" })
      .map((name) => item[name]?.S ?? item[name]?.N)
      .join(" ");
  const engine = openEngine({
    storage,
    onWrite({ key, ...write }) {
      const text = keyText(write.table, key);
      changes.push({ ...write, key: text });
      replica.set(`${write.table} ${text}`, write.before);
      known.delete(write.table);
    },
  });

  const indexes = indexed && openEngine({ storage: indexed, now: () => 0 });
  const itemsOf = (table: string): ReadonlyMap<string, Item> => {
    const items = known.get(table) ?? new Map([...engine.itemsOf(table)].map((item) => [keyText(table, item), item]));
    known.set(table, items);
    return items;
  };

  return {
    perform(operation, request) {
      changes = [];
      if (indexes && request.IndexName !== undefined) return { answer: indexes.perform(operation, request), changes };
      const place = `${request.TableName} ${keyText(request.TableName, request.Key ?? {})}`;
      if (operation === "GetItem" && !request.ConsistentRead && replica.has(place)) {
        return { answer: { status: 200, body: { Item: replica.get(place) } }, changes };
      }
      return { answer: engine.perform(operation, request), changes };
    },
    index(table, key) {
      const Item = itemsOf(table).get(key);
      if (Item) indexes?.perform("PutItem", { TableName: table, Item });
    },
    itemsOf,
    deleteDue: (now) =>
      Object.entries(schemas).flatMap(([table, { timeToLive = "" }]) =>
        engine.deleteExpired(table, timeToLive, now).map((item) => ({ table, key: keyText(table, item), item })),
      ),
    copy: () => databaseOf(schemas, storage.copy(), indexed?.copy()),
  };
};
