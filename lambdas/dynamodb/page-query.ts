import * as z from "zod/mini";
import { cursor, limit } from "../shared/validation/paging.ts";
import { positionsIn } from "./position.ts";
import type { AnyTable } from "./table.ts";

/**
 * The query of a list of records, `limit` and `cursor`: of all records of a table, or of those that an index or the table's own
 * `query` finds.
 *
 * @param by the name of the store's operation. Default: `list`
 * @example query: pageQuery(shipments, "byCustomer")
 */
export const pageQuery = <Table extends Pick<AnyTable, "partitionKey" | "sortKey" | "schema" | "indexes">>(
  table: Table,
  by: "list" | "query" | (keyof NonNullable<Table["indexes"]> & string) = "list",
) => {
  const positions = positionsIn(table, by === "list" ? undefined : { index: by === "query" ? undefined : by });
  return z.object({
    limit: limit({ max: 1000 }),
    cursor: cursor((position) => positions.keyOf(position) !== undefined),
  });
};
