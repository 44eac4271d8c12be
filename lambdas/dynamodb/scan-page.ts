import { type AttributeValue, type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { reach } from "./client.ts";
import { type Item, unsound } from "./items.ts";

interface ScanPageOptions {
  client: DynamoDBClient;
  table: string;
  /** The name of the table's partition key, a string. */
  partitionKey: string;
  limit: number;
  after: string | undefined;
}

export interface ItemPage {
  items: Item[];
  /** The partition key after which the next page begins; absent on the last page. */
  next?: string;
}

/**
 * One page of a table, in the table's own order, strongly consistent. It reads one item more than it returns, to know
 * whether there is a next page: its cost does not grow with the table. A page may be shorter than `limit` where 1 MB,
 * DynamoDB's own bound, comes first; `next` tells that there is more.
 */
export const scanPage = async ({ client, table, partitionKey, limit, after }: ScanPageOptions): Promise<ItemPage> => {
  const { Items, LastEvaluatedKey } = await reach(
    client.send(
      new ScanCommand({
        TableName: table,
        Limit: limit + 1,
        ConsistentRead: true,
        ...(after !== undefined && { ExclusiveStartKey: { [partitionKey]: { S: after } } }),
      }),
    ),
  );
  if (!Array.isArray(Items)) throw unsound("The page is no list of items.");
  const items = Items.slice(0, limit);
  const last = Items.length > limit ? items.at(-1) : LastEvaluatedKey;
  const next = keyOf(last?.[partitionKey]);
  return next === undefined ? { items } : { items, next };
};

const keyOf = (value: AttributeValue | undefined): string | undefined => value?.S;
