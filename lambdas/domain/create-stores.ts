import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { changesOn } from "../dynamodb/change-feed.ts";
import { type ConnectionOptions, createDynamoDBClient } from "../dynamodb/client/client.ts";
import { indexIn, rejectInvalidResponses } from "../dynamodb/client/invalid-responses.ts";
import { openTable } from "../dynamodb/open-table.ts";
import { type AnyTable, indexKeyNames, keyNamesOf, type Table } from "../dynamodb/table.ts";
import type { TransactionTables, transactionOn } from "../dynamodb/transaction.ts";
import {
  type StoresFor,
  storesIn,
  type Tables,
  tableVariable,
  type Uses,
  type UsesOf,
  usesWithin,
} from "../dynamodb/uses.ts";
import { requireVariable } from "../shared/environment.ts";

/** A client for a function's stores. */
interface Connection {
  client: DynamoDBClient;
  /** The key attributes of the tables and indexes that the client is used for: see `rejectInvalidResponses`. */
  keyNames: Map<string, readonly string[]>;
}

/** What only some functions need. */
export interface Additions {
  /** Adds `transaction` to the stores, so no store can have this name: see `transaction.ts`. */
  transactionOn?: typeof transactionOn | undefined;
  /** Adds `changes` to the stores of tables that declare them: see `change-feed.ts`. */
  changesOn?: typeof changesOn | undefined;
}

export interface StoresOptions extends Additions {
  /** A connection to share with other functions. Default: a new one. */
  connection?: Connection;
}

/** Connects to DynamoDB, and rejects responses that DynamoDB cannot have sent. */
export const connect = (options?: ConnectionOptions): Connection => {
  const client = createDynamoDBClient(options);
  const keyNames: Connection["keyNames"] = new Map();
  rejectInvalidResponses(client, keyNames);
  return { client, keyNames };
};

/**
 * Creates the stores that `uses` names, on the tables that the environment names.
 *
 * @param tables the declarations of those tables. A function gets only the tables that it uses, so that its bundle contains no
 * others.
 * @throws {Error} naming the missing declaration or environment variable, so that the function fails to start.
 */
export const createStores = <T extends Tables, U extends UsesOf<T>>(
  uses: U,
  tables: Partial<T>,
  { connection: { client, keyNames } = connect(), ...additions }: StoresOptions = {},
): StoresFor<T, U> => {
  const opened = Object.keys(uses).map((name) => {
    const { table: declaration, tableName } = findTable(name, tables, keyNames);
    return [name, { declaration, table: openTable(declaration, { client, tableName }) }] as const;
  });
  return storesOn(client, Object.fromEntries(opened), additions) as StoresFor<T, U>;
};

/** Creates the stores of opened tables, with what is added to them. */
export const storesOn = (
  client: DynamoDBClient,
  opened: TransactionTables,
  { transactionOn, changesOn }: Additions = {},
): object => ({
  ...Object.fromEntries(
    Object.entries(opened).map(([name, { declaration, table }]) => {
      const changes = declaration.changes && changesOn && { changes: changesOn(table, declaration) };
      return [name, { ...declaration.createStore(table), ...changes }];
    }),
  ),
  ...(transactionOn && { transaction: transactionOn(client, opened) }),
});

/**
 * Finds a store's table by its declaration and by the environment, and registers its keys with the connection.
 *
 * @throws {Error} naming what is missing.
 */
export const findTable = (
  store: string,
  tables: Partial<Tables>,
  keyNames: Connection["keyNames"],
): { table: AnyTable; tableName: string } => {
  const table = tables[store];
  if (!table) throw new Error(`The function is bundled without the table of the store ${store}.`);
  const tableName = requireVariable(tableVariable(store));
  keyNames.set(tableName, keyNamesOf(table));
  for (const [name, index] of Object.entries(table.indexes ?? {})) {
    keyNames.set(indexIn(tableName, name), indexKeyNames(table, index));
  }
  return { table, tableName };
};

export interface ExistingStoresOptions extends StoresOptions {
  /** The stores that the service has. Default: all. */
  existing?: readonly string[];
  /** Other tables, by store name. */
  applicationTables?: Tables;
}

/** Creates the stores that `uses` names. Stores that the service does not have are empty and read-only. */
export const createExistingStores = <T extends Tables, U extends UsesOf<T>>(
  uses: U & Uses,
  tables: T,
  { existing = Object.keys(tables), applicationTables, ...options }: ExistingStoresOptions = {},
): StoresFor<T, U> => {
  const missing = storesIn(uses).filter((name) => !existing.includes(name));
  return {
    ...Object.fromEntries(missing.map((name) => [name, tables[name]?.createStore(emptyTable)])),
    ...createStores<T, U>(usesWithin(existing, uses) as U, { ...tables, ...applicationTables }, options),
  };
};

const refuse = () => {
  throw new Error("The service does not have this table.");
};

const emptyTable: Table<object> = {
  tableName: "",
  changed: { read: refuse, toItem: refuse, isSame: refuse, timeOfChange: "" },
  updateInput: refuse,
  read: refuse,
  readUnlessDeleted: refuse,
  getItem: async () => undefined,
  get: async () => undefined,
  page: async () => ({ records: [], examined: 0 }),
  pageOf: async () => ({ records: [], examined: 0 }),
  query: async () => ({ $metadata: {} }),
  scan: async () => ({ $metadata: {} }),
  readOnPage: refuse,
  update: async () => refuse(),
  change: async () => refuse(),
};
