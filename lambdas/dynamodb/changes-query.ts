import * as z from "zod/mini";
import { time } from "../shared/validation/fields.ts";
import { limit } from "../shared/validation/paging.ts";
import { parseFeedCursor } from "./change-feed-cursor.ts";
import { positionsIn } from "./position.ts";
import { type AnyTable, changeIndexName, fieldsOf, keyNamesOf } from "./table.ts";

/** A table that declares `changes`. */
type ChangingTable = Required<Pick<AnyTable, "changes">> &
  Pick<AnyTable, "partitionKey" | "sortKey" | "schema" | "indexes">;

/**
 * The query parameters of a page of changes: `limit` and `cursor`.
 *
 * @example query: changesQuery(shipmentsTable)
 */
export const changesQuery = (table: ChangingTable) => {
  const positions = positionsIn(table, { index: changeIndexName });
  const isPossible = (cursor: string): boolean => {
    const { feed, after } = parseFeedCursor(cursor) ?? {};
    return feed !== undefined && (after === undefined || positions.keyOf(after) !== undefined);
  };
  return z.object({
    limit: limit({ max: 1000, byDefault: "1000" }),
    cursor: z.optional(
      z.string().check(
        z.refine(isPossible, "is not one that this service returned. Start again without it."),
        z.meta({
          description:
            "Where the page begins: the opaque `cursor` of the previous page. Without it, the pages are a copy of everything.",
        }),
      ),
    ),
  });
};

/**
 * The body of a page of changes.
 *
 * @param record the schema of what is shown of a record. Default: the whole record
 * @example responses: { 200: { description: "A page of changes.", body: changesOf(shipmentsTable) } }
 */
export const changesOf = <Table extends ChangingTable, Shown extends z.core.$ZodType = Table["schema"]>(
  table: Table,
  record: Shown = table.schema as unknown as Shown,
) => {
  const keys = Object.entries(fieldsOf(table)).filter(([name]) => keyNamesOf(table).includes(name));
  return z.object({
    changed: z.array(record).check(z.meta({ description: "What was created or changed, as it is now." })),
    deleted: z
      .array(z.object({ ...Object.fromEntries(keys), deleted_at: time("When it was deleted.") }))
      .check(z.meta({ description: "What was deleted." })),
    cursor: z.string().check(
      z.meta({
        description: "Where the next page begins. Store it once this page has been applied. It works for 30 days.",
        examples: [exampleCursor],
      }),
    ),
    more: z.boolean().check(
      z.meta({
        description: "Whether to request the next page at once; otherwise, this was all.",
        examples: [false],
      }),
    ),
  });
};

/** A cursor for the documentation, which belongs to no table. */
export const exampleCursor = "WyIyY1lreldrUHE0bVQiLDE3OTUyNTYxMDAwMDBd";
