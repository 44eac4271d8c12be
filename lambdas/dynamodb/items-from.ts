import type { QueryCommandOutput } from "@aws-sdk/client-dynamodb";
import { withDeadline } from "./client/deadline.ts";
import { type Item, toItem } from "./records.ts";
import type { Table, TableKey } from "./table.ts";

/** Reads all items of a partition, starting at a sort key. The reads are eventually consistent, at half the price. */
export const itemsFrom = (
  table: Pick<Table<object>, "query">,
  { partitionKey, sortKey }: TableKey,
  { partition, from }: { partition: string; from: string },
): Promise<Item[]> =>
  withDeadline(async () => {
    const items: Item[] = [];
    let next: QueryCommandOutput["LastEvaluatedKey"];
    do {
      const page: QueryCommandOutput = await table.query({
        KeyConditionExpression: `#${partitionKey} = :partition AND #${sortKey} >= :from`,
        ExpressionAttributeValues: toItem({ ":partition": partition, ":from": from }),
        ...(next && { ExclusiveStartKey: next }),
      });
      items.push(...(page.Items ?? []));
      next = page.LastEvaluatedKey;
    } while (next);
    return items;
  });
