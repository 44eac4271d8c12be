import { randomUUID } from "node:crypto";
import { assertValid, failure } from "./errors.ts";
import { changesOf } from "./items.ts";
import { placeAfter, placeOfTable, prefixOf } from "./keys.ts";
import type { Parameters } from "./parameters.ts";
import type { Change, Context } from "./storage.ts";
import {
  checkDefinition,
  describe,
  itemOfTable,
  noSuchTable,
  type Table,
  tableOf,
  withIndex,
  withoutIndex,
} from "./tables.ts";

export const listTables = ({ tables }: Context) => ({ TableNames: [...tables.keys()].toSorted() });

const tableIn = (tables: Context["tables"], name: string): Table => {
  const table = tables.get(name);
  if (table === undefined) throw noSuchTable(`: Table: ${name} not found`);
  return table;
};

export const describeTable = ({ tables, arnOf }: Context, { TableName }: Parameters["DescribeTable"]) => ({
  Table: describe(tableIn(tables, TableName), arnOf),
});

export const createTable = (context: Context, definition: Parameters["CreateTable"]) => {
  const { storage, tables, arnOf, now } = context;
  if (tables.has(definition.TableName)) {
    throw failure("ResourceInUseException", `Table already exists: ${definition.TableName}`);
  }
  checkDefinition(definition);
  const table = tableOf(definition, { id: randomUUID(), time: now() });
  storage.write([[placeOfTable(table.name), itemOfTable(table)]]);
  tables.set(table.name, table);
  return { TableDescription: describe(table, arnOf, "CREATING") };
};

export const deleteTable = ({ storage, tables, arnOf }: Context, { TableName }: Parameters["DeleteTable"]) => {
  const table = tableIn(tables, TableName);
  const sources = [undefined, ...table.indexes].map((index) => prefixOf(table, index));
  const places = sources.flatMap((prefix) => [...storage.range(prefix, placeAfter(prefix))].map(([place]) => place));
  storage.write([placeOfTable(TableName), ...places].map((place): Change => [place, undefined]));
  tables.delete(TableName);
  return { TableDescription: describe(table, arnOf, "DELETING") };
};

/** Adds an index with entries for all items that belong in it, or removes one with its entries. */
export const updateTable = ({ storage, tables, arnOf }: Context, request: Parameters["UpdateTable"]) => {
  const before = tableIn(tables, request.TableName);
  const [{ Create, Delete } = {}] = request.GlobalSecondaryIndexUpdates;
  assertValid(
    (Create === undefined) !== (Delete === undefined),
    "A GlobalSecondaryIndexUpdate must have exactly one operation",
  );
  const table = Create
    ? withIndex(before, Create, request.AttributeDefinitions ?? [])
    : withoutIndex(before, Delete?.IndexName ?? "");
  const named = (one: Table) => one.indexes.filter(({ name }) => name === (Create ?? Delete)?.IndexName);
  const rowsIn = (prefix: string) => storage.range(prefix, placeAfter(prefix));
  function* changes(): Generator<Change> {
    yield [placeOfTable(table.name), itemOfTable(table)];
    for (const index of Create ? [] : named(before)) {
      // Listed first, because the rows change while this loop runs.
      for (const [place] of [...rowsIn(prefixOf(before, index))]) yield [place, undefined];
    }
    for (const [, item] of Create ? rowsIn(prefixOf(table)) : []) {
      const [, ...entries] = changesOf({ ...table, indexes: named(table) }, undefined, item);
      yield* entries;
    }
  }
  storage.write(changes());
  tables.set(table.name, table);
  return { TableDescription: describe(table, arnOf) };
};
