import type { ServerResponse } from "node:http";
import { crc32 } from "node:zlib";
import { isRecord } from "../../support/is-record.ts";
import type { Ask } from "./tables.ts";

const writes = new Set(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "UpdateTable"]);

/** The tables that a request writes to; none if it only reads. */
export const writtenTables = (operation: string, request: unknown): string[] => {
  if (!writes.has(operation) || !isRecord(request)) return [];
  const { TableName, RequestItems } = request;
  return isRecord(RequestItems) ? Object.keys(RequestItems) : [String(TableName)];
};

/** Runs the writes to each table one after the other, so that none comes between a failed condition and its item. */
export const createWriteQueue = () => {
  const lastWrites = new Map<string, Promise<void>>();
  return (tables: string[], write: () => Promise<void>): Promise<void> => {
    const turn = Promise.all(tables.map((table) => lastWrites.get(table))).then(write);
    const settled = turn.catch(() => {});
    for (const table of tables) lastWrites.set(table, settled);
    return turn;
  };
};

/** Whether a request wants the item if its condition fails, which the engine does not support. */
export const wantsItemOfFailure = (request: unknown): request is Record<string, unknown> =>
  isRecord(request) && request.ReturnValuesOnConditionCheckFailure === "ALL_OLD";

/** Reads the item that a write is about. */
export const readWrittenItem = async ({ TableName, Key, Item }: Record<string, unknown>, ask: Ask) => {
  const key = isRecord(Item) ? keyOf(Item, await ask("DescribeTable", { TableName })) : Key;
  const { Item: current } = await ask("GetItem", { TableName, Key: key, ConsistentRead: true });
  return current;
};

const keyOf = (item: Record<string, unknown>, { Table }: Record<string, unknown>) => {
  const { KeySchema } = isRecord(Table) ? Table : {};
  const names = Array.isArray(KeySchema)
    ? KeySchema.filter(isRecord).map(({ AttributeName }) => String(AttributeName))
    : [];
  return Object.fromEntries(names.map((name) => [name, item[name]]));
};

/**
 * Adds the item to the engine's answer that a condition has failed.
 *
 * @returns the response for the engine to write to
 */
export const withItemOfFailure = (response: ServerResponse, readItem: () => Promise<unknown>): ServerResponse => {
  const end = response.end.bind(response);
  const endWithItem = async (body: string): Promise<void> => {
    const Item = await readItem();
    const text = Item === undefined ? body : JSON.stringify({ ...JSON.parse(body), Item });
    response.setHeader("x-amz-crc32", crc32(text));
    response.setHeader("content-length", Buffer.byteLength(text));
    end(text);
  };
  return Object.assign(response, {
    end(body: string) {
      if (response.statusCode !== 400 || !body.includes("#ConditionalCheckFailedException")) return end(body);
      void endWithItem(body).catch(() => response.destroy());
      return response;
    },
  });
};
