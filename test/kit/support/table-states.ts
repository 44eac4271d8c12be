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
import { exampleRecord } from "../../../lambdas/declaration/example-record.ts";
import { tokens } from "../../../lambdas/domain/tables.ts";
import { isTrust } from "../../../lambdas/domain/tokens/life-cycle.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { trustedUntil, trustShard } from "../../../lambdas/domain/tokens/trust.ts";
import { nestedCodec } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { type Item, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import { type AnyTable, fieldsOf, keyNamesOf } from "../../../lambdas/dynamodb/table.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import { requestField } from "./tokens.ts";

/** Records by the store whose table contains them. */
export type Records = Record<string, object[]>;

/** Returns a record with the same key, numbers and times, and with other texts where their schemas accept those. */
const alter = (table: AnyTable): object => {
  const fields = fieldsOf(table);
  return Object.fromEntries(
    Object.entries(exampleRecord(table)).map(([name, value]) => {
      const schema = fields[name];
      if (schema === undefined || typeof value !== "string" || keyNamesOf(table).includes(name)) return [name, value];
      const [first = "", ...rest] = value;
      const altered = rest.join("") + first;
      return [name, z.safeParse(schema, altered).success ? altered : value];
    }),
  );
};

/**
 * The contents of the tables when an example is called: nothing, the example record of each table (and a client has just asked to
 * move its token), or the example records with different contents under the same keys.
 */
const states = {
  empty: () => [],
  filled: (table) =>
    table === tokens ? [{ ...tokens.example, request: requestField() }, exampleTrust] : [exampleRecord(table)],
  altered: (table) => [alter(table)],
} satisfies Record<string, (table: AnyTable) => object[]>;

export type StateName = keyof typeof states;
export const stateNames = Object.keys(states) as StateName[];

/**
 * Returns the records in a state of the tables, and those of callers. They are created when needed, because a request is valid for
 * only a few minutes.
 */
export const recordsIn = (state: StateName, tables: Tables, ...callers: TokenRecord[]): Records => {
  const records = Object.entries(tables).map(([store, table]) => [store, states[state](table)] as const);
  const all: Records = Object.fromEntries(records);
  const own = callers.map(({ token_id }) => token_id);
  const others = (all.tokens as TokenRecord[]).filter(({ token_id }) => !own.includes(token_id));
  return { ...all, tokens: [...others, ...callers].map(withShard) };
};

/** Returns the record of a token unchanged. Adds the attributes by which the service finds a trust to the record of a trust. */
export const withShard = (record: TokenRecord): object =>
  isTrust(record) ? { ...record, ...trustedUntil(record.expires_at), change_shard: trustShard } : record;

/**
 * Finds the state of the tables in which a call succeeds. Prefers a state that the call changes, and otherwise returns the filled
 * state. `prepare` fills the tables, and `call` returns whether it succeeded.
 */
export const findSuccessState = async (
  access: TableAccess,
  { prepare, call }: { prepare: (state: StateName) => Promise<unknown>; call: () => Promise<boolean> },
): Promise<StateName | undefined> => {
  const successes: { state: StateName; isChange: boolean }[] = [];
  for (const state of stateNames) {
    await prepare(state);
    const before = JSON.stringify(await access.contents());
    if (await call()) successes.push({ state, isChange: JSON.stringify(await access.contents()) !== before });
  }
  const best = successes.find(({ isChange }) => isChange) ?? successes.find(({ state }) => state === "filled");
  return (best ?? successes[0])?.state;
};

/** The items of each table, as plain values. */
export type Contents<Store extends string = string> = Record<Store, Record<string, unknown>[]>;

/** Access to the tables of these stores. */
export interface TableAccess<Store extends string = string> {
  /** Replaces everything in the tables of these stores. */
  fill(records: Partial<Record<Store, object[]>>): Promise<void>;
  /** Adds or replaces one record. */
  put(store: Store, record: object): Promise<void>;
  /** Returns the contents of the tables without times, which differ from run to run. */
  contents(): Promise<Contents<Store>>;
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
      Item: toItem(record as Values, tables[store]?.schema, nestedCodec),
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
      records.map((record) => ({ PutRequest: { Item: toItem(record as Values, table.schema, nestedCodec) } })),
    );
  };

  return {
    put,
    async fill(records) {
      await Promise.all(
        Object.entries(tables).map(([store, table]) => records[store] && fillTable(store, table, records[store])),
      );
    },
    async contents() {
      const contents = Object.entries(tables).map(async ([store, table]) => {
        return [store, (await itemsOf(store)).map((item) => lastingFields(item, table))];
      });
      return Object.fromEntries(await Promise.all(contents));
    },
  };
};

const lastingFields = (item: Item, { timeToLive, deletionMark, ...table }: AnyTable): Record<string, unknown> => {
  const fields = fieldsOf(table);
  const isTime = (name: string) =>
    fields[name] !== undefined && z.globalRegistry.get(fields[name])?.format === "date-time";
  return Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => name !== timeToLive && !isTime(name))
      .map(([name, attribute]) => [name, name === deletionMark ? "an id" : plainValue(attribute)]),
  );
};

const plainValue = ({ S, N, SS, ...other }: AttributeValue): unknown =>
  S?.replace(timesInText, "a time") ??
  (N === undefined ? (SS ?? JSON.stringify(other).replace(timesInText, "a time")) : Number(N));

/** Some strings are JSON that contains times. */
const timesInText = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
