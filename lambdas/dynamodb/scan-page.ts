import type { ScanCommandInput, ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import type { Item } from "./records.ts";
import type { Page, PageRequest } from "./table.ts";

/**
 * The size of the largest page, as JSON: a response of a function may have 6 MB, of which base64 takes a quarter.
 */
export const maxPageBytes = 4_000_000;

/** Tombstones are skipped in steps that grow up to this many items, so that a few of them cost little. */
const largestStep = 1_000;

/**
 * Where a page ends that meets nothing but tombstones. DynamoDB itself ends a step at 1 MB. A page without a limit goes on for
 * longer, because its client may not expect a next one.
 */
const maximumSteps = { withLimit: 10, withoutLimit: 40 };

interface Scanner<R> {
  scan: (options: Pick<ScanCommandInput, "Limit" | "ExclusiveStartKey">) => Promise<ScanCommandOutput>;
  /** Reads an item; `undefined` if it is the tombstone of a deleted record. */
  read: (item: Item) => R | undefined;
  partitionKey: string;
}

/**
 * Reads a page of a table. Where many records have been deleted, a page may hold fewer records than asked for although it is
 * not the last one.
 */
export const scanPage = async <R>(
  { scan, read, partitionKey }: Scanner<R>,
  { limit, after }: PageRequest,
): Promise<Page<R>> => {
  const records: R[] = [];
  const hasRoomFor = limit === undefined ? withinBytes() : () => records.length < limit;
  let last = after;
  let position = after;
  // One item more than the page holds shows whether there is a next page.
  let Limit = limit === undefined ? undefined : limit + 1;

  for (let step = 0; step < (limit === undefined ? maximumSteps.withoutLimit : maximumSteps.withLimit); step += 1) {
    const { Items = [], LastEvaluatedKey } = await scan({
      ...(Limit !== undefined && { Limit }),
      ...(position !== undefined && { ExclusiveStartKey: { [partitionKey]: { S: position } } }),
    });
    for (const item of Items) {
      const record = read(item);
      if (!record) continue;
      if (!hasRoomFor(record)) return { records, next: last };
      records.push(record);
      last = item[partitionKey]?.S;
    }
    position = LastEvaluatedKey?.[partitionKey]?.S;
    if (position === undefined) return { records };
    if (Limit !== undefined) {
      const endedEarly = Items.length < Limit;
      if (endedEarly) break;
      Limit = Math.min(Limit * 4, largestStep);
    }
  }
  return { records, next: position };
};

/** Counts the bytes of records as JSON, and returns for each one whether it still fits into the page. */
const withinBytes = () => {
  let bytes = 0;
  return (record: unknown): boolean => {
    bytes += Buffer.byteLength(JSON.stringify(record)) + 1;
    return bytes <= maxPageBytes;
  };
};
