import { crc32 } from "node:zlib";
import { wholeNumber } from "../shared/validation/fields.ts";
import { withDeadline } from "./client/deadline.ts";
import { type Item, invalidResponse, readOptional, toItem, type Values } from "./records.ts";
import { changeIndexName, type Table, type TableIndex, type Update } from "./table.ts";

/*
 * The history of a record is a set of strings in the record's own item. A change adds an entry in the same write. Entries begin
 * with their time, so sorting them as strings puts them in chronological order.
 */

const history = "history";
const dropped = "history_dropped";

/** The attribute with a record's part of the index of changes, and the other attributes that a change of history writes. */
export const changeShard = "change_shard";
export const historyAttributes = [history, dropped, "deletion_id"] as const;

/** Declares that index, for a table whose items have the time of their last change in `sort`. */
export const changeIndex = (sort: string): { readonly [changeIndexName]: TableIndex } => ({
  [changeIndexName]: { partition: [changeShard], sort, attributes: historyAttributes },
});

/** Returns the part of a query that reads only some attributes. */
export const selection = (attributes: readonly string[]) => ({
  ProjectionExpression: attributes.map((name) => `#${name}`).join(),
  Select: "SPECIFIC_ATTRIBUTES" as const,
});

/** Maximum entries per item. A change that would exceed it drops all entries except the first and the latest. */
export const mostEntries = 20;
const keptEntries = 10;

/** The history that an item stores. */
export interface StoredHistory {
  /** Oldest first. */
  entries: string[];
  /** The number of older entries that are no longer kept. */
  dropped: number;
}

const droppedCount = wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER });

/**
 * Reads the history of an item.
 *
 * @throws {ApiError} `unavailable` if this code cannot have written it
 */
export const readHistory = (item: Item): StoredHistory => {
  const set = item[history];
  if (set && !set.SS) throw invalidResponse(`The item's ${history} is not a set of strings.`);
  const entries = (set?.SS ?? []).toSorted();
  if (entries.some((entry) => !entry.isWellFormed())) {
    throw invalidResponse(`The item's ${history} has an entry that is not a string.`);
  }
  return { entries, dropped: readOptional(item, dropped, droppedCount) ?? 0 };
};

/** Checks whether an item has an entry. */
export const hasEntry = (item: Item, entry: string): boolean => item[history]?.SS?.includes(entry) === true;

/** The part of an update that adds an entry. */
interface Addition extends Pick<Update, "condition"> {
  /** Attributes to set. */
  set: Values;
  /** A clause to add to the update expression. */
  clause: string;
  values: Values;
}

/**
 * Returns what to add to an update so that it adds an entry to an item's history.
 *
 * @param known the item, if it has been read and the update applies to exactly that item
 */
export const entryAddition = (entry: string, known: Item | undefined): Addition => {
  const { entries, dropped: before } = known ? readHistory(known) : { entries: [], dropped: 0 };
  if (entries.length < mostEntries) {
    return {
      set: {},
      clause: ` ADD #${history} :entry`,
      condition: `(attribute_not_exists(#${history}) OR size(#${history}) < :most_entries)`,
      values: { entry: new Set([entry]), most_entries: mostEntries },
    };
  }
  const [first = entry, ...others] = entries;
  const kept = [first, ...others.slice(2 - keptEntries), entry];
  const set = { [history]: new Set(kept), [dropped]: before + entries.length + 1 - kept.length };
  return { set, clause: "", values: {} };
};

/** The number of parts of the index of changes. With several parts, no part receives more writes than DynamoDB allows. */
const shardCount = 8;

/** The shards of existing records and of deleted records. */
export const liveShards = Array.from({ length: shardCount }, (_, shard) => String(shard));
export const deletedShards = liveShards.map((shard) => `deleted-${shard}`);

/** Returns a record's shard in the index of changes. */
export const shardOf = (id: string): string => String(crc32(id) % shardCount);

/** Returns the shard of an application's record, from the values of its key. */
export const shardOfKey = (values: readonly unknown[]): string => shardOf(JSON.stringify(values));

/** Returns the shard of a deleted record's tombstone. */
export const deletedShardOf = (id: string): string => `deleted-${shardOf(id)}`;

/** A request for one step of a shard, most recent change first. */
export interface ChangedRequest {
  shard: string;
  /** Only items changed at this time or later. */
  since?: string | undefined;
  /** Maximum number of items. DynamoDB also ends a step at 1 MB. */
  limit: number;
  /** Where the step begins: `next` of the previous step. */
  after?: Item | undefined;
}

export interface ChangedItems {
  items: Item[];
  /** Where the next step begins; absent after the last step. */
  next?: Item | undefined;
}

/**
 * Returns a function that reads one step of a shard of a table's index of changes. Eventually consistent.
 *
 * @param attributes reads only these attributes of an index that contains whole items
 */
export const changesIn =
  (table: Pick<Table<object>, "query">, sort: string, attributes?: readonly string[]) =>
  async ({ shard, since, limit, after }: ChangedRequest): Promise<ChangedItems> => {
    const { Items: items = [], LastEvaluatedKey: next } = await withDeadline(() =>
      table.query({
        IndexName: changeIndexName,
        KeyConditionExpression: `#${changeShard} = :shard${since === undefined ? "" : ` AND #${sort} >= :since`}`,
        ExpressionAttributeValues: toItem({ ":shard": shard, ":since": since }),
        ScanIndexForward: false,
        Limit: limit,
        ...(attributes && selection(attributes)),
        ...(after && { ExclusiveStartKey: after }),
      }),
    );
    return { items, next };
  };
