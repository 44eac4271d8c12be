import type { ScanCommandInput, ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import type { Item } from "./records.ts";
import type { Page, PageRequest } from "./table.ts";

/** The size of the largest page, as JSON: a response of a function may have 6 MB, of which base64 takes a quarter. */
export const maxPageBytes = 4_000_000;

/** Tombstones are skipped in steps that grow up to this many items, so that a few of them cost little. */
const largestStep = 1_000;

/**
 * The most steps of a page. One that takes more meets little but tombstones, and ends wherever it is. DynamoDB itself ends a step at 1 MB.
 * A page without a limit goes on for longer, because its client may not expect a next one. A search reads steps of 1 MB.
 */
const maximumSteps = { withLimit: 10, withoutLimit: 40, withPrefix: 4 };

type ScanOptions = Pick<
  ScanCommandInput,
  "Limit" | "ExclusiveStartKey" | "FilterExpression" | "ExpressionAttributeValues"
>;

interface Scanner<R> {
  scan: (options: ScanOptions) => Promise<ScanCommandOutput>;
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
  { limit, after, prefix }: PageRequest,
): Promise<Page<R>> => {
  const records: R[] = [];
  const countFitting = limit === undefined ? countWithinBytes() : countWithin(limit);
  const steps = maximumSteps[prefix !== undefined ? "withPrefix" : limit === undefined ? "withoutLimit" : "withLimit"];
  const filter = prefix !== undefined && {
    FilterExpression: `begins_with(#${partitionKey}, :prefix)`,
    ExpressionAttributeValues: { ":prefix": { S: prefix } },
  };
  let examined = 0;
  let last = after;
  let position = after;
  // One item more than the page holds shows whether there is a next page. DynamoDB counts items before it filters them.
  let Limit = limit === undefined || prefix !== undefined ? undefined : limit + 1;

  for (let step = 0; step < steps; step += 1) {
    const {
      Items = [],
      LastEvaluatedKey,
      ScannedCount = 0,
    } = await scan({
      ...filter,
      ...(Limit !== undefined && { Limit }),
      ...(position !== undefined && { ExclusiveStartKey: { [partitionKey]: { S: position } } }),
    });
    examined += ScannedCount;
    const found: R[] = [];
    const ids: (string | undefined)[] = [];
    for (const item of Items) {
      // One record more than fits is enough.
      if (limit !== undefined && records.length + found.length > limit) break;
      const record = read(item);
      if (record === undefined) continue;
      found.push(record);
      ids.push(item[partitionKey]?.S);
    }
    const fitting = countFitting(found);
    for (const record of found.slice(0, fitting)) records.push(record);
    if (fitting > 0) last = ids[fitting - 1];
    if (fitting < found.length) return { records, next: last, examined };
    position = LastEvaluatedKey?.[partitionKey]?.S;
    if (position === undefined) return { records, examined };
    if (Limit !== undefined) {
      const endedEarly = Items.length < Limit;
      if (endedEarly) break;
      Limit = Math.min(Limit * 4, largestStep);
    }
  }
  return { records, next: position, examined };
};

/** How many records of a step fit into the page after those of the steps before. */
type CountFitting = (found: readonly unknown[]) => number;

const countWithin = (limit: number): CountFitting => {
  let room = limit;
  return ({ length }) => {
    const count = Math.min(length, room);
    room -= count;
    return count;
  };
};

const countWithinBytes = (): CountFitting => {
  let room = maxPageBytes;
  return (found) => {
    // Measuring all at once is faster, and most steps fit as a whole.
    const all = bytesOf(found);
    if (all <= room) {
      room -= all;
      return found.length;
    }
    const end = found.findIndex((record) => {
      room -= bytesOf(record) + 1;
      return room < 0;
    });
    return end === -1 ? found.length : end;
  };
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
