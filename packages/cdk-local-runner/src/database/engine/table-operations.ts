import { randomUUID } from "node:crypto";
import { failure } from "./errors.ts";
import { changesOf } from "./items.ts";
import { placeAfter, placeOfTable, prefixOf } from "./keys.ts";
import type { Parameters } from "./parameters.ts";
import type { Change, Context } from "./storage.ts";
import { checkDefinition, describe, itemOfTable, noSuchTable, type Table, tableOf, withIndex } from "./tables.ts";

const maximumTablesOfList = 100;

export const listTables = ({ tables }: Context, request: Parameters["ListTables"]) => {
  const { Limit = maximumTablesOfList, ExclusiveStartTableName: start = "" } = request;
  const all = [...tables.keys()].filter((name) => name > start).toSorted();
  const TableNames = all.slice(0, Limit);
  return { TableNames, ...(all.length > Limit && { LastEvaluatedTableName: TableNames.at(-1) }) };
};

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

/** Adds an index with entries for all items that belong in it. */
export const updateTable = ({ storage, tables, arnOf }: Context, request: Parameters["UpdateTable"]) => {
  const before = tableIn(tables, request.TableName);
  const [update] = request.GlobalSecondaryIndexUpdates;
  if (update === undefined) return { TableDescription: describe(before, arnOf) };
  const table = withIndex(before, update.Create, request.AttributeDefinitions ?? []);
  const added: Table = { ...table, indexes: table.indexes.filter(({ name }) => name === update.Create.IndexName) };
  function* changes(): Generator<Change> {
    yield [placeOfTable(table.name), itemOfTable(table)];
    const prefix = prefixOf(table);
    for (const [, item] of storage.range(prefix, placeAfter(prefix))) {
      const [, ...entries] = changesOf(added, undefined, item);
      yield* entries;
    }
  }
  storage.write(changes());
  tables.set(table.name, table);
  return { TableDescription: describe(table, arnOf) };
};
