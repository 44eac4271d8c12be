import type * as z from "zod/mini";
import { type AnyTable, fieldsOf, keyNamesOf, type Right } from "../dynamodb/table.ts";
import type { Tables } from "../dynamodb/uses.ts";
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
  /** The fields of an object that has the same ones in every record. */
  fields?: Readonly<Record<string, Column>>;
  /** The elements of a list, or the values of another object. */
  values?: Column;
}

/** The part of a table that admins see. It is JSON, so that no function's bundle has to include the table itself. */
export interface ShownTable extends Pick<AnyTable, "partitionKey" | "sortKey" | "timeOfChange" | "deletionMark"> {
  /** The columns by name, in order. Includes the key. */
  columns: Readonly<Record<string, Column>>;
}

/** The tables whose records admins see, by store name. */
export type ShownRecords = Readonly<Record<string, ShownTable>>;

/** The operation that reads what admins see. No store has an operation with this name. */
export const readShown = "read shown columns";

/**
 * Returns the part of a table that admins see.
 *
 * @throws {Error} if there is no such table, or if one of the columns is missing or secret.
 */
export const shownTable = (store: string, table: AnyTable | undefined, names: readonly string[]): ShownTable => {
  if (!table) throw new Error(`Admins cannot see the records of ${store}: it must be a table of the resource.`);
  const { partitionKey, sortKey, timeOfChange, deletionMark } = table;
  const fields = fieldsOf(table);
  const columns = [...new Set([...keyNamesOf(table), ...names])].map((name) => {
    const field = fields[name];
    if (!field) throw new Error(`The records of ${store} have no field ${name}.`);
    if (factsOf(field).isSecret) throw new Error(`Admins cannot see the field ${name} of ${store}: it is secret.`);
    return [name, columnOf(field)] as const;
  });
  return {
    partitionKey,
    ...(sortKey !== undefined && { sortKey }),
    ...(timeOfChange !== undefined && { timeOfChange }),
    ...(deletionMark !== undefined && { deletionMark }),
    columns: Object.fromEntries(columns),
  };
};

/** Leaves out the secret fields of nested objects. */
const columnOf = (field: z.core.$ZodType): Column => {
  const { kind, schema } = factsOf(field);
  const def = definitionOf(schema);
  const places = decimalPlaces(schema);
  if (def.type === "array") return { kind, values: columnOf(def.element) };
  if (def.type === "record") return { kind, values: columnOf(def.valueType) };
  if (def.type !== "object") return { kind, ...(places !== undefined && { places }) };
  const shown = Object.entries(def.shape).filter(([, part]) => !factsOf(part).isSecret);
  return { kind, fields: Object.fromEntries(shown.map(([name, part]) => [name, columnOf(part)])) };
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
