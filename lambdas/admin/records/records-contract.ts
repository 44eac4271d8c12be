import * as z from "zod/mini";
import type { ActionContract } from "../../declaration/action.ts";
import type { Column } from "../../declaration/shown-records.ts";
import { fieldKinds } from "../../shared/validation/field-facts.ts";

const column: z.ZodMiniType<Column> = z.object({
  kind: z.enum(fieldKinds),
  places: z.exactOptional(z.number()),
  fields: z.exactOptional(z.lazy(() => z.record(z.string(), column))),
  values: z.exactOptional(z.lazy(() => column)),
});

/** What the admin command needs to know about a table that admins see. This is a part of `ShownTable`. */
export const shownTable = z.object({ partitionKey: z.string(), columns: z.record(z.string(), column) });

/** A page of a store's records, with the columns that admins see. The web interface uses this file too. */
export const recordPage = z.object({
  /** The name of the id column, or of the first part of the key. */
  id_column: z.string(),
  /** The name of the second part of the key. */
  sort_column: z.nullable(z.string()),
  /** The kind of each column, in display order. */
  columns: z.record(z.string(), z.enum(fieldKinds)),
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
