import type {
  AttributeValue,
  BatchWriteItemInput,
  BatchWriteItemOutput,
  PutItemInput,
  ScanInput,
  ScanOutput,
  WriteRequest,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { changeShard, liveShards } from "../../../lambdas/dynamodb/change-history.ts";
import { nestedCodec } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { type Item, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import { type AnyTable, fieldsOf, fixedFieldsOf, keyNamesOf } from "../../../lambdas/dynamodb/table.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import { maskGenerated, maskTexts } from "./generated-values.ts";

/** The items of each table, as plain values. */
export type Contents<Store extends string = string> = Record<Store, Record<string, unknown>[]>;

/** Access to the tables of these stores. */
export interface TableAccess<Store extends string = string> {
  tables: Tables;
  /** Replaces everything in the tables of these stores. */
  fill(records: Partial<Record<Store, object[]>>): Promise<void>;
  /** Adds or replaces one record. */
  put(store: Store, record: object): Promise<void>;
  /** Returns the contents of the tables without ids and times, which differ from run to run, and those ids and times. */
  contents(): Promise<{ items: Contents<Store>; generated: string[] }>;
}

/** Returns the name of a store's table in a local run. */
export const tableNameOf = ({ tableNames }: { tableNames: readonly string[] }, store: string): string => {
  const name = tableNames.find((table) => table.toLowerCase() === `${store}table`.toLowerCase());
  if (!name) throw new Error(`There is no table of the store ${store}, only ${tableNames.join(", ")}.`);
  return name;
};

/** The operations that fill and read tables. The SDK's `DynamoDB` has them. */
export interface TableOperations {
  batchWriteItem(request: BatchWriteItemInput): Promise<Pick<BatchWriteItemOutput, "UnprocessedItems">>;
  putItem(request: PutItemInput): Promise<unknown>;
  scan(request: ScanInput): Promise<Pick<ScanOutput, "Items" | "LastEvaluatedKey">>;
}

/** The maximum number of items in one DynamoDB request. */
const itemsPerBatch = 25;

/** Returns access to whole tables, bypassing the service. */
export const accessTables = <T extends Tables>(
  tables: T,
  operations: TableOperations,
  tableOf: (store: string) => string,
): TableAccess<keyof T & string> => {
  const itemsOf = async (store: string, ExclusiveStartKey?: Item): Promise<Item[]> => {
    const request = { TableName: tableOf(store), ConsistentRead: true, ExclusiveStartKey };
    const { Items = [], LastEvaluatedKey } = await operations.scan(request);
    return LastEvaluatedKey ? [...Items, ...(await itemsOf(store, LastEvaluatedKey))] : Items;
  };

  const put: TableAccess["put"] = async (store, record) => {
    await operations.putItem({
      TableName: tableOf(store),
      Item: itemOf(record, tables[store]),
    });
  };

  const write = async (store: string, requests: WriteRequest[]): Promise<void> => {
    const table = tableOf(store);
    for (let start = 0; start < requests.length; start += itemsPerBatch) {
      const RequestItems = { [table]: requests.slice(start, start + itemsPerBatch) };
      const { UnprocessedItems = {} } = await operations.batchWriteItem({ RequestItems });
      if (UnprocessedItems[table]) throw new Error(`The database did not write everything to ${table}.`);
    }
  };

  const fillTable = async (store: string, table: AnyTable, records: object[]): Promise<void> => {
    const keys = keyNamesOf(table);
    const keyOf = (item: Item) => Object.fromEntries(Object.entries(item).filter(([name]) => keys.includes(name)));
    const items = await itemsOf(store);
    await write(
      store,
      items.map((item) => ({ DeleteRequest: { Key: keyOf(item) } })),
    );
    await write(
      store,
      records.map((record) => ({ PutRequest: { Item: itemOf(record, table) } })),
    );
  };

  return {
    tables,
    put,
    async fill(records) {
      await Promise.all(
        Object.entries(tables).map(([store, table]) => records[store] && fillTable(store, table, records[store])),
      );
    },
    async contents() {
      const generated: string[] = [];
      const stores = Object.entries(tables).map(async ([store, table]) => {
        return [store, (await itemsOf(store)).map((item) => lastingFields(item, table, generated))];
      });
      const items = Object.fromEntries(await Promise.all(stores));
      return { items: JSON.parse(maskTexts(JSON.stringify(items), generated)), generated };
    },
  };
};

/** Returns the item of a record. Its store finds it among the changes. */
const itemOf = (record: object, table: AnyTable | undefined): Item => ({
  ...(table?.changes && fixedFieldsOf(table).length === 0 && { [changeShard]: { S: liveShards[0] ?? "" } }),
  ...toItem(record as Values, table?.schema, nestedCodec),
});

/** Returns the attributes of an item as plain values. Adds the ids and times that it leaves out to `generated`. */
const lastingFields = (
  item: Item,
  { timeToLive, deletionMark, codec, ...table }: AnyTable,
  generated: string[],
): Record<string, unknown> => {
  const fields = fieldsOf(table);
  const isTime = (name: string) =>
    codec !== nestedCodec && fields[name] !== undefined && z.globalRegistry.get(fields[name])?.format === "date-time";
  const lasting = (name: string, attribute: AttributeValue): unknown => {
    if (name === deletionMark) return "an id";
    const value = codec === nestedCodec && fields[name] && nestedCodec.of(fields[name]).decode(attribute);
    if (value === undefined || !fields[name]) return plainValue(attribute);
    const masked = maskGenerated(fields[name], value);
    generated.push(...masked.texts);
    return masked.value;
  };
  return Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name !== timeToLive && !isTime(name))
      .map(([name, attribute]) => [name, lasting(name, attribute)]),
  );
};

const plainValue = ({ S, N, SS, ...other }: AttributeValue): unknown =>
  S?.replace(timesInText, "a time") ??
  (N === undefined ? (SS ?? JSON.stringify(other).replace(timesInText, "a time")) : Number(N));

/** Some strings are JSON that contains times. */
const timesInText = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
