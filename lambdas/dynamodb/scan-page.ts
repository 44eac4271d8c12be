import type { ScanCommandInput, ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import type { Item } from "./records.ts";
import type { Page, PageRequest } from "./table.ts";

/** Tombstones are skipped in steps that grow up to this many items, so that a few of them cost little. */
const largestStep = 1_000;
const maximumSteps = 10;

interface Scanner<R> {
  scan: (options: Pick<ScanCommandInput, "Limit" | "ExclusiveStartKey">) => Promise<ScanCommandOutput>;
  /** Reads an item; `undefined` if it is the tombstone of a deleted record. */
  read: (item: Item) => R | undefined;
  partitionKey: string;
}

/**
 * Reads a page of a table. It usually takes one call; where many records have been deleted, it takes more, and a page may hold
 * fewer records than asked for although it is not the last one.
 */
export const scanPage = async <R>(
  { scan, read, partitionKey }: Scanner<R>,
  { limit, after }: PageRequest,
): Promise<Page<R>> => {
  const found: { record: R; id: string | undefined }[] = [];
  // One item more than the page holds shows whether there is a next page. DynamoDB itself ends a page at 1 MB.
  let Limit = limit + 1;
  let next = after;

  for (let step = 0; step < maximumSteps; step += 1) {
    const { Items = [], LastEvaluatedKey } = await scan({
      Limit,
      ...(next !== undefined && { ExclusiveStartKey: { [partitionKey]: { S: next } } }),
    });
    for (const item of Items) {
      // One record more is enough.
      const record = found.length > limit ? undefined : read(item);
      if (record) found.push({ record, id: item[partitionKey]?.S });
    }
    next = LastEvaluatedKey?.[partitionKey]?.S;
    const isShort = found.length <= limit && Items.length === Limit;
    if (next === undefined || !isShort) break;
    Limit = Math.min(Limit * 4, largestStep);
  }

  const records = found.slice(0, limit).map(({ record }) => record);
  if (found.length > limit) next = found[limit - 1]?.id;
  return next === undefined ? { records } : { records, next };
};
