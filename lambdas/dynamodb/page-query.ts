import * as z from "zod/mini";
import { cursor, limit } from "../shared/validation/paging.ts";
import { positionsIn } from "./position.ts";
import type { AnyTable } from "./table.ts";

/**
 * The query of a list of records, `limit` and `cursor`: of all records of a table, or of those that an index or the table's own
 * `query` finds.
 *
 * @param by the names of the store's operations between which the endpoint chooses. Default: `list`
 * @example query: pageQuery(shipments, "byCustomer")
 */
export const pageQuery = <Table extends Pick<AnyTable, "partitionKey" | "sortKey" | "schema" | "indexes">>(
  table: Table,
  ...by: ("list" | "query" | (keyof NonNullable<Table["indexes"]> & string))[]
) => {
  const operations = by.length > 0 ? by : ["list"];
  const positions = operations.map((name) =>
    positionsIn(table, name === "list" ? undefined : { index: name === "query" ? undefined : name }),
  );
  return z.object({
    limit: limit({ max: 1000 }),
    cursor: cursor((position) => positions.some(({ keyOf }) => keyOf(position) !== undefined)),
  });
};
