import * as z from "zod/mini";
import { keyTypeOf } from "../dynamodb/nested-attributes.ts";
import { type AnyTable, fieldsOf, type Right } from "../dynamodb/table.ts";
import type { Tables } from "../dynamodb/uses.ts";

/** The columns that admins see, by store name. */
export type ShownColumns<T extends Tables = Tables> = {
  readonly [Store in keyof T]?: readonly (keyof z.output<T[Store]["schema"]> & string)[];
};

/** How a column is shown. */
export type ColumnKind = "text" | "time" | "number" | "json";

/** The part of a table that admins see. It is JSON, so that no function's bundle has to include the table itself. */
export interface ShownTable extends Pick<AnyTable, "partitionKey" | "timeOfChange" | "deletionMark"> {
  /** The kind of each column by name, in order. Includes the key. */
  columns: Readonly<Record<string, ColumnKind>>;
}

/** The tables whose records admins see, by store name. */
export type ShownRecords = Readonly<Record<string, ShownTable>>;

/** The operation that reads what admins see. No store has an operation with this name. */
export const readShown = "read shown columns";

/**
 * Returns the part of a table that admins see.
 *
 * @throws {Error} if there is no such table, if its key has two parts, or if it lacks one of the columns.
 */
export const shownTable = (store: string, table: AnyTable | undefined, names: readonly string[]): ShownTable => {
  if (!table || table.sortKey !== undefined) {
    throw new Error(
      `Admins cannot see the records of ${store}: it must be a table of the resource without a sort key.`,
    );
  }
  const { partitionKey, timeOfChange, deletionMark } = table;
  const fields = fieldsOf(table);
  const columns = [...new Set([partitionKey, ...names])].map((name) => {
    const field = fields[name];
    if (!field) throw new Error(`The records of ${store} have no field ${name}.`);
    return [name, kindOf(field)] as const;
  });
  return {
    partitionKey,
    ...(timeOfChange !== undefined && { timeOfChange }),
    ...(deletionMark !== undefined && { deletionMark }),
    columns: Object.fromEntries(columns),
  };
};

const kindOf = (schema: z.core.$ZodType): ColumnKind => {
  const type = keyTypeOf(schema);
  if (type === undefined) return "json";
  if (type === "N") return "number";
  return z.globalRegistry.get(schema)?.format === "date-time" ? "time" : "text";
};

/** Returns the attributes to read: the columns, and the mark of deleted records. */
const attributesOf = ({ columns, deletionMark }: ShownTable): string[] => [
  ...Object.keys(columns),
  ...(deletionMark === undefined ? [] : [deletionMark]),
];

/** Returns the table with one additional right: to read what admins see. */
export const withShownRight = (table: AnyTable, shown: ShownTable | undefined): AnyTable => {
  if (!shown) return table;
  const right: Right = { action: "Scan", attributes: attributesOf(shown) };
  return { ...table, rights: { ...table.rights, [readShown]: [right] } };
};
