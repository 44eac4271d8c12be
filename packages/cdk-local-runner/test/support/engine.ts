import { openEngine, type Response } from "../../src/database/engine/engine.ts";
import { createMemoryStorage } from "../../src/database/engine/storage.ts";
import type { AttributeValue, Item } from "../../src/database/engine/values.ts";

type Plain = string | number | boolean | null | Plain[] | Set<string | number> | Buffer | { [name: string]: Plain };
export type Plains = Record<string, Plain>;

/** Converts a plain value to an attribute value. */
export const attributeOf = (plain: Plain): AttributeValue => {
  if (typeof plain === "string") return { S: plain };
  if (typeof plain === "number") return { N: String(plain) };
  if (typeof plain === "boolean") return { BOOL: plain };
  if (plain === null) return { NULL: true };
  if (Array.isArray(plain)) return { L: plain.map(attributeOf) };
  if (Buffer.isBuffer(plain)) return { B: plain.toString("base64") };
  if (!(plain instanceof Set)) return { M: itemOf(plain) };
  const members = [...plain];
  return typeof members[0] === "string" ? { SS: members.map(String) } : { NS: members.map(String) };
};

export const itemOf = (plain: Plains): Item =>
  Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, attributeOf(value)]));

/** Returns the parameter with a request's values: `{ a: 1 }` sets `:a`. */
export const valuesOf = (plain: Plains) =>
  Object.keys(plain).length === 0
    ? {}
    : {
        ExpressionAttributeValues: itemOf(
          Object.fromEntries(Object.entries(plain).map(([name, one]) => [`:${name}`, one])),
        ),
      };

/** The index of the table below. */
export const byChange = {
  IndexName: "by_change",
  KeySchema: [
    { AttributeName: "change_shard", KeyType: "HASH" as const },
    { AttributeName: "changed_at", KeyType: "RANGE" as const },
  ],
  Projection: { ProjectionType: "INCLUDE" as const, NonKeyAttributes: ["history"] },
};

/** A table with the partition key `id`, and an index on `change_shard` and `changed_at`. */
export const indexedTable = {
  AttributeDefinitions: ["id", "change_shard", "changed_at"].map((AttributeName) => ({
    AttributeName,
    AttributeType: "S" as const,
  })),
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" as const }],
  BillingMode: "PAY_PER_REQUEST" as const,
  GlobalSecondaryIndexes: [byChange],
};

/** Creates an in-memory engine. */
export const newDatabase = () => {
  const engine = openEngine({ storage: createMemoryStorage() });
  return async (operation: string, request: object): Promise<Response> => engine.perform(operation, request);
};
