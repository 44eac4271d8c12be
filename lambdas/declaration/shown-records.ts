import type * as z from "zod/mini";
import {
  type AnyTable,
  changeIndexName,
  fieldsOf,
  keyNamesOf,
  type Right,
  type TableIndex,
  type TableIndexes,
} from "../dynamodb/table.ts";
import type { Tables } from "../dynamodb/uses.ts";
import { present } from "../shared/present.ts";
import { decimalPlaces } from "../shared/validation/decimal.ts";
import { definitionOf } from "../shared/validation/definition.ts";
import { type FieldKind, factsOf } from "../shared/validation/field-facts.ts";

/** The columns that admins see, by store name. */
export type ShownColumns<T extends Tables = Tables> = {
  readonly [Store in keyof T]?: readonly (keyof z.output<T[Store]["schema"]> & string)[];
};

/** How the values of a column are stored and shown. */
export interface Column {
  kind: FieldKind;
  /** The digits after the point of a decimal. */
  places?: number;
  /** The permitted values of an enum. */
  options?: readonly string[];
  /** The fields of an object that has the same ones in every record. */
  fields?: Readonly<Record<string, Column>>;
  /** The elements of a list, or the values of another object. */
  values?: Column;
}

/** The part of a table that admins see. It is JSON, so that no function's bundle has to include the table itself. */
export interface ShownTable
  extends Pick<AnyTable, "partitionKey" | "sortKey" | "timeOfChange" | "deletionMark" | "changes"> {
  /** The columns by name, in order. Includes the key. */
  columns: Readonly<Record<string, Column>>;
  /** The indexes by which admins can find records. */
  indexes: TableIndexes;
  /** The fields of these indexes that are not columns. */
  indexFields: Readonly<Record<string, Column>>;
}

/** The tables whose records admins see, by store name. */
export type ShownRecords = Readonly<Record<string, ShownTable>>;

/** The operation that reads what admins see. No store has an operation with this name. */
export const readShown = "read shown columns";

/** Returns the ways to find some of the records: the indexes, and `query` if the key has two parts. */
export const partitionsOf = ({ partitionKey, sortKey, indexes }: ShownTable): TableIndexes => ({
  ...(sortKey !== undefined && { query: { partition: [partitionKey], sort: sortKey } }),
  ...indexes,
});

/** Returns the name of an index in DynamoDB; `undefined` for the table itself. */
export const indexNameOf = ({ indexes }: ShownTable, partition: string): string | undefined =>
  Object.hasOwn(indexes, partition) ? partition : undefined;

/**
 * Returns the part of a table that admins see.
 *
 * @throws {Error} if there is no such table, or if one of the columns is missing or secret.
 */
export const shownTable = (store: string, table: AnyTable | undefined, names: readonly string[]): ShownTable => {
  if (!table) throw new Error(`Admins cannot see the records of ${store}: it must be a table of the resource.`);
  const { partitionKey, sortKey, timeOfChange, deletionMark, changes } = table;
  const fields = fieldsOf(table);
  const columnsNamed = (wanted: readonly string[]) =>
    Object.fromEntries(
      wanted.map((name) => {
        const field = fields[name];
        if (!field) throw new Error(`The records of ${store} have no field ${name}.`);
        if (factsOf(field).isSecret) throw new Error(`Admins cannot see the field ${name} of ${store}: it is secret.`);
        return [name, columnOf(field)];
      }),
    );
  const columns = columnsNamed([...new Set([...keyNamesOf(table), ...names])]);
  const indexes = Object.entries(table.indexes ?? {}).filter(
    ([name, index]) => name !== changeIndexName && isShown(index, fields),
  );
  const inIndexes = indexes.flatMap(([, { partition, sort }]) => [...partition, sort]);
  return {
    partitionKey,
    ...present({ sortKey, timeOfChange, deletionMark, changes }),
    columns,
    indexes: Object.fromEntries(indexes.map(([name, { partition, sort }]) => [name, { partition, sort }])),
    indexFields: columnsNamed([...new Set(inIndexes)].filter((name) => !Object.hasOwn(columns, name))),
  };
};

/** Checks whether admins can find records by an index: it has whole items, and none of its fields is secret. */
const isShown = ({ partition, sort, attributes, retired }: TableIndex, fields: ReturnType<typeof fieldsOf>): boolean =>
  attributes === undefined &&
  retired === undefined &&
  [...partition, sort].every((name) => fields[name] && !factsOf(fields[name]).isSecret);

/** Leaves out the secret fields of nested objects. */
const columnOf = (field: z.core.$ZodType): Column => {
  const { kind, schema, options } = factsOf(field);
  const def = definitionOf(schema);
  const places = decimalPlaces(schema);
  if (def.type === "array") return { kind, values: columnOf(def.element) };
  if (def.type === "record") return { kind, values: columnOf(def.valueType) };
  if (def.type !== "object") return { kind, ...present({ places, options }) };
  const shown = Object.entries(def.shape).filter(([, part]) => !factsOf(part).isSecret);
  return { kind, fields: Object.fromEntries(shown.map(([name, part]) => [name, columnOf(part)])) };
};

/** Returns the attributes to read: the columns, the fields of indexes, and the mark of deleted records. */
export const attributesOf = ({ columns, indexFields, deletionMark }: ShownTable): string[] => [
  ...Object.keys({ ...columns, ...indexFields }),
  ...(deletionMark === undefined ? [] : [deletionMark]),
];

/** Returns the table with an additional operation, which reads what admins see, from the table and its indexes. */
export const withShownRight = (table: AnyTable, shown: ShownTable | undefined): AnyTable => {
  if (!shown) return table;
  const attributes = attributesOf(shown);
  const rights: Right[] = [
    { action: "Scan", attributes },
    ...(shown.sortKey === undefined ? [] : [{ action: "Query", attributes } as const]),
    ...Object.keys(shown.indexes).map((index) => ({ action: "Query", index, attributes }) as const),
  ];
  return { ...table, rights: { ...table.rights, [readShown]: rights } };
};
