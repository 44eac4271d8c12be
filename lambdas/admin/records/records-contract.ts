import * as z from "zod/mini";
import type { ActionContract } from "../../declaration/action.ts";
import type { Column } from "../../declaration/shown-records.ts";
import { fieldKinds } from "../../shared/validation/field-facts.ts";
import { date, text, time } from "../../shared/validation/fields.ts";

const column: z.ZodMiniType<Column> = z.object({
  kind: z.enum(fieldKinds),
  places: z.exactOptional(z.number()),
  options: z.exactOptional(z.array(z.string())),
  fields: z.exactOptional(z.lazy(() => z.record(z.string(), column))),
  values: z.exactOptional(z.lazy(() => column)),
});

const columns = z.record(z.string(), column);

/** What the admin command needs to know about a table that admins see. This is a part of `ShownTable`. */
export const shownTable = z.object({
  partitionKey: z.string(),
  sortKey: z.exactOptional(z.string()),
  columns,
  indexes: z.record(z.string(), z.object({ partition: z.array(z.string()), sort: z.string() })),
  indexFields: columns,
});

/** A field by whose value an index finds records. */
const indexField = z.object({
  name: z.string(),
  kind: z.enum(fieldKinds),
  places: z.exactOptional(z.number()),
  options: z.exactOptional(z.array(z.string())),
});

/** Returns the schema for values of an index's field. An index cannot store longer strings. */
export const indexValue = ({ kind, places = 0, options }: Omit<z.output<typeof indexField>, "name"> | Column) => {
  if (options) return z.enum([...options]);
  switch (kind) {
    case "number":
      return z.number();
    case "decimal":
      return z
        .string()
        .check(
          z.regex(
            new RegExp(`^-?\\d{1,30}${places === 0 ? "" : `\\.\\d{${places}}`}$`),
            `must be a decimal number with ${places} decimal places.`,
          ),
        );
    case "time":
      return time();
    case "date":
      return date();
    default:
      return text({ min: 1, max: 512 });
  }
};

/** A page of a store's records, with the columns that admins see. The web interface uses this file too. */
export const recordPage = z.object({
  /** The name of the id column, or of the first part of the key. */
  id_column: z.string(),
  /** The name of the second part of the key. */
  sort_column: z.nullable(z.string()),
  /** The kind of each column, in display order. */
  columns: z.record(z.string(), z.enum(fieldKinds)),
  /** The ways to find some of the records, in the order of their last field. */
  indexes: z.array(
    z.object({ name: z.string(), partition: z.array(indexField), sort: z.string(), sort_kind: z.enum(fieldKinds) }),
  ),
  records: z.array(z.record(z.string(), z.unknown())),
  next_cursor: z.nullable(z.string()),
  /** The number of items read for this page, which determines its cost. */
  examined: z.number(),
  /** The number of these items that are not records as the service declares them. Its log names them. */
  left_out: z.number(),
});

export const recordContract = {
  list_records: { route: "GET /records/{store}", response: recordPage },
} as const satisfies Record<string, ActionContract>;
