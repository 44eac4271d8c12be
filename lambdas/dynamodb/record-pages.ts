import type { QueryCommandInput } from "@aws-sdk/client-dynamodb";
import { ArgumentRefused } from "../shared/errors/argument-refused.ts";
import { foreignCursor } from "../shared/validation/paging.ts";
import { checkedKey } from "./checked-key.ts";
import { withDeadline } from "./client/deadline.ts";
import { nestedCodec } from "./nested-attributes.ts";
import { positionsIn } from "./position.ts";
import { readPage } from "./read-page.ts";
import { type Item, invalidResponse, toPlaceholders, type Values } from "./records.ts";
import { boundsOf, type Order } from "./sort-bounds.ts";
import type { AnyTable, Page, Positions, Table } from "./table.ts";

/** A page of records in the table's own order. */
export interface ListRequest {
  /** Maximum number of records. Default: as many as fit into one response. */
  limit?: number | undefined;
  /** `next` of the previous page. */
  cursor?: string | undefined;
}

/** A page of a partition. */
export interface PartitionRequest<Sort> extends ListRequest {
  /** Default: ascending. */
  order?: Order | undefined;
  /** The first and the last value of the sort field, inclusive. */
  from?: Sort | undefined;
  to?: Sort | undefined;
}

type PagedTable = Pick<AnyTable, "partitionKey" | "sortKey" | "schema" | "indexes">;

/** Reads a page of all records, strongly consistent. */
export const listPage = async <R extends object>(
  table: Table<R>,
  declaration: PagedTable,
  { limit, cursor }: ListRequest,
): Promise<Page<R>> => {
  const positions = positionsIn(declaration);
  refuseForeign(cursor, positions);
  const reader = {
    readStep: (step: object) => table.scan({ ConsistentRead: true, ...step }),
    read: (item: Item) => table.readOnPage(item),
    positions,
  };
  return withDeadline(() => readPage(reader, { limit, after: cursor }));
};

/** Rejects the cursor of another list. `pageQuery` accepts it if the endpoint chooses between both lists. */
const refuseForeign = (cursor: string | undefined, { keyOf }: Positions): void => {
  if (cursor !== undefined && !keyOf(cursor)) throw new ArgumentRefused(cursor, foreignCursor);
};

interface Partition {
  /** The index. Without one, the partition is one of the table itself, and read strongly consistent. */
  index?: string;
  /** The values of the partition's fields. */
  values: Values;
}

/** Reads a page of a partition of the table or of one of its indexes. */
export const partitionPage = async <R extends object>(
  table: Table<R>,
  declaration: PagedTable,
  { index, values }: Partition,
  { limit, cursor, order = "ascending", from, to }: PartitionRequest<string | number>,
): Promise<Page<R>> => {
  const sort = (index === undefined ? declaration.sortKey : declaration.indexes?.[index]?.sort) ?? "";
  const positions = positionsIn(declaration, { index });
  refuseForeign(cursor, positions);
  const key = { schema: declaration.schema, codec: nestedCodec };
  const partition = checkedKey(values, key);
  const bounds = boundsOf({
    from,
    to,
    after: cursor,
    order,
    sort,
    positions,
    toItem: (bound) => checkedKey(bound, key, sort),
  });
  if (!bounds) return { records: [], examined: 0 };
  const conditions = [...Object.keys(partition).map((name) => `#${name} = :${name}`), ...bounds.conditions];
  const input: Omit<QueryCommandInput, "TableName"> = {
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
    KeyConditionExpression: conditions.join(" AND "),
    ExpressionAttributeValues: { ...toPlaceholders(partition), ...bounds.values },
    ScanIndexForward: order === "ascending",
  };
  const reader = {
    readStep: (step: object) => table.query({ ...input, ...step }),
    read: (item: Item) => {
      const isOther = Object.entries(partition).some(([name, value]) => !nestedCodec.isSame(item[name], value));
      if (isOther) throw invalidResponse("The page has an item of another partition.");
      return table.readOnPage(item);
    },
    positions,
    startKeyOf: (position: Item) => ({ ...partition, ...position }),
  };
  return withDeadline(() => readPage(reader, { limit, after: bounds.after }));
};
