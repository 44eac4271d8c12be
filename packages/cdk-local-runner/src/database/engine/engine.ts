import { isRecord } from "../../support/json.ts";
import type * as z from "../../support/zod.ts";
import { DatabaseError, malformed, UnsupportedRequest } from "./errors.ts";
import { batchWrite, deleteItem, getItem, putItem, updateItem } from "./items.ts";
import { keyNamesOf, pick, placeAfter, placeOfTable, prefixOf } from "./keys.ts";
import { query, scan } from "./pages.ts";
import { isOperation, readParameters, schemas } from "./parameters.ts";
import type { Context, Storage } from "./storage.ts";
import { createTable, deleteTable, describeTable, listTables, updateTable } from "./table-operations.ts";
import { noSuchTable, type Table, tableOfItem } from "./tables.ts";
import { readTransactions, transactWrite } from "./transactions.ts";
import type { Item } from "./values.ts";

export interface Response {
  status: number;
  body: object;
}

export interface Engine {
  /**
   * Performs a request completely and synchronously.
   *
   * @throws {UnsupportedRequest} if it is not in the supported subset
   */
  perform: (operation: string, body: unknown) => Response;
  /** Iterates over a table's items in scan order. */
  itemsOf: (table: string) => Iterable<Item>;
  /** Deletes and returns the items whose `attribute` is a time in the past (Unix seconds). */
  deleteExpired: (table: string, attribute: string, now: number) => Item[];
}

interface EngineOptions {
  storage: Storage;
  arnOf?: Context["arnOf"];
  now?: () => number;
  onWrite?: Context["onWrite"];
}

type Perform = (context: Context, body: object) => object;

const handler =
  <Schema extends z.core.$ZodType>(
    schema: Schema,
    perform: (context: Context, request: z.output<Schema>) => object,
  ): Perform =>
  (context, body) =>
    perform(context, readParameters(schema, body));

const operations: Record<keyof typeof schemas, Perform> = {
  GetItem: handler(schemas.GetItem, getItem),
  PutItem: handler(schemas.PutItem, putItem),
  UpdateItem: handler(schemas.UpdateItem, updateItem),
  DeleteItem: handler(schemas.DeleteItem, deleteItem),
  Query: handler(schemas.Query, query),
  Scan: handler(schemas.Scan, scan),
  BatchWriteItem: handler(schemas.BatchWriteItem, batchWrite),
  TransactWriteItems: handler(schemas.TransactWriteItems, transactWrite),
  ListTables: handler(schemas.ListTables, listTables),
  DescribeTable: handler(schemas.DescribeTable, describeTable),
  CreateTable: handler(schemas.CreateTable, createTable),
  UpdateTable: handler(schemas.UpdateTable, updateTable),
  DeleteTable: handler(schemas.DeleteTable, deleteTable),
};

/** Opens a DynamoDB engine without a network. It supports an exact subset and processes one request at a time. */
export const openEngine = (options: EngineOptions): Engine => {
  const { storage, arnOf = (table) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}` } = options;
  const { now = Date.now, onWrite = () => {} } = options;
  const tables = new Map<string, Table>();
  for (const [, item] of storage.range(placeOfTable(""), placeAfter(placeOfTable("")))) {
    const table = tableOfItem(item);
    tables.set(table.name, table);
  }
  const tableNamed = (name: string): Table => {
    const table = tables.get(name);
    if (table === undefined) throw noSuchTable();
    return table;
  };
  const transactions = readTransactions(storage);
  const context: Context = { storage, tables, tableNamed, transactions, arnOf, now, onWrite };

  return {
    perform(operation, body) {
      if (!isOperation(operation)) throw new UnsupportedRequest(operation);
      try {
        if (body === undefined) throw malformed("");
        if (!isRecord(body)) throw malformed("Start of structure or map found where not expected");
        return { status: 200, body: operations[operation](context, body) };
      } catch (error) {
        if (error instanceof DatabaseError) return responseOf(error);
        if (error instanceof UnsupportedRequest) throw new UnsupportedRequest(`${operation} with ${error.message}`);
        throw error;
      }
    },
    *itemsOf(name) {
      const table = tables.get(name);
      if (table === undefined) return;
      const prefix = prefixOf(table);
      for (const [, item] of storage.range(prefix, placeAfter(prefix))) yield item;
    },
    deleteExpired(name, attribute, time) {
      const expired = [...this.itemsOf(name)].filter((item) => Number(item[attribute]?.N) * 1000 <= time);
      for (const item of expired)
        deleteItem(context, { TableName: name, Key: pick(item, keyNamesOf(tableNamed(name))) });
      return expired;
    },
  };
};

export const responseOf = ({ type, message, more }: DatabaseError): Response => ({
  status: 400,
  // Errors of transactions have `Message`, all others `message`.
  body: { __type: type, ...(!("Message" in more) && { message }), ...more },
});
