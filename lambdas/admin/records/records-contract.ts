import * as z from "zod/mini";
import type { ActionContract } from "../../declaration/action.ts";

const columns = z.record(z.string(), z.enum(["text", "time", "number"]));

/** What the admin command needs to know about a table that admins see. This is a part of `ShownTable`. */
export const shownTable = z.object({ partitionKey: z.string(), columns });

/** A page of a store's records, with the columns that admins see. The web interface uses this file too. */
export const recordPage = z.object({
  /** The name of the id column. */
  id_column: z.string(),
  /** The kind of each column, in display order. */
  columns,
  records: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
  next_cursor: z.nullable(z.string()),
  /** The number of items read for this page, which determines its cost. */
  examined: z.number(),
});

export const recordContract = {
  list_records: { route: "GET /records/{store}", response: recordPage },
} as const satisfies Record<string, ActionContract>;
