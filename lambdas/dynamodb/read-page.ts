import type { ScanCommandInput, ScanCommandOutput } from "@aws-sdk/client-dynamodb";
import type { Item } from "./records.ts";
import type { Page, PageRequest, Positions } from "./table.ts";

/** Maximum page size, as JSON. Lambda limits a function's response to 6 MB, and base64 takes up a quarter of that. */
export const maxPageBytes = 4_000_000;

/** Tombstones are skipped in steps that grow up to this many items, so that a few tombstones cost little. */
const largestStep = 1_000;

/**
 * Maximum steps per page. A page that reaches it has found little but tombstones, so the page ends there. DynamoDB ends each step
 * at 1 MB. A page without a limit may take more steps, because its client may not expect a next page. A search reads steps of 1 MB.
 */
const maximumSteps = { withLimit: 10, withoutLimit: 40, withPrefix: 4 };

/** Returns the positions in a table whose key is one string, which is the position. */
export const idPositions = (partitionKey: string): Positions => ({
  of: (item) => item[partitionKey]?.S,
  keyOf: (id) => ({ [partitionKey]: { S: id } }),
});

type StepOptions = Pick<ScanCommandInput, "Limit" | "ExclusiveStartKey">;

interface PageReader<R> {
  /** Makes one request: a scan of the table, or a query of a partition. */
  readStep: (options: StepOptions) => Promise<Pick<ScanCommandOutput, "Items" | "LastEvaluatedKey" | "ScannedCount">>;
  /** Reads an item; `undefined` if it is left out of the page. */
  read: (item: Item) => R | undefined;
  positions: Positions;
  /** The whole key of an item at a position. Default: the position has all of it. */
  startKeyOf?: (position: Item) => Item;
}

/**
 * Reads a page of a table or of a partition. After many deletions, a page may hold fewer records than requested even if it is not
 * the last one.
 *
 * @throws {Error} if the position after which the page begins is not one that `pageQuery` accepts
 */
export const readPage = async <R>(
  { readStep, read, positions, startKeyOf = (key) => key }: PageReader<R>,
  { limit, after, prefix }: Pick<PageRequest, "limit" | "after" | "prefix">,
): Promise<Page<R>> => {
  const records: R[] = [];
  const countFitting = limit === undefined ? countWithinBytes() : countWithin(limit);
  const steps = maximumSteps[prefix !== undefined ? "withPrefix" : limit === undefined ? "withoutLimit" : "withLimit"];
  let examined = 0;
  let last = after;
  let position = after === undefined ? undefined : positions.keyOf(after);
  if (after !== undefined && !position) throw new Error("There is no such position in the table.");
  // Reading one extra item shows whether there is a next page. DynamoDB counts items before it filters them.
  let Limit = limit === undefined || prefix !== undefined ? undefined : limit + 1;

  for (let step = 0; step < steps; step += 1) {
    const {
      Items = [],
      LastEvaluatedKey,
      ScannedCount = 0,
    } = await readStep({
      ...(Limit !== undefined && { Limit }),
      ...(position !== undefined && { ExclusiveStartKey: startKeyOf(position) }),
    });
    examined += ScannedCount;
    const found: R[] = [];
    const from: Item[] = [];
    for (const item of Items) {
      // It is enough to read one record more than fits.
      if (limit !== undefined && records.length + found.length > limit) break;
      const record = read(item);
      if (record === undefined) continue;
      found.push(record);
      from.push(item);
    }
    const fitting = countFitting(found);
    for (const record of found.slice(0, fitting)) records.push(record);
    const lastFitting = from[fitting - 1];
    if (lastFitting) last = positions.of(lastFitting);
    if (fitting < found.length) return { records, next: last, examined };
    position = LastEvaluatedKey;
    if (position === undefined) return { records, examined };
    if (Limit !== undefined) {
      const endedEarly = Items.length < Limit;
      if (endedEarly) break;
      Limit = Math.min(Limit * 4, largestStep);
    }
  }
  return { records, next: position && positions.of(position), examined };
};

/** Returns how many records of a step still fit into the page. */
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
    // Measuring all records at once is faster, and most steps fit completely.
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
