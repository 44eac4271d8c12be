import { hash } from "node:crypto";
import { type Codec, flatCodec } from "./attributes.ts";
import { canContinue, feedCursor, holdbackMilliseconds, parseFeedCursor } from "./change-feed-cursor.ts";
import { changeShard, liveShards, selection } from "./change-history.ts";
import { checkedKey } from "./checked-key.ts";
import { withDeadline } from "./client/deadline.ts";
import { positionsIn } from "./position.ts";
import { maxPageBytes } from "./read-page.ts";
import { type Item, invalidResponse, toItem, toPlaceholders, type Values } from "./records.ts";
import { type AnyTable, changeIndexName, fieldsOf, fixedFieldsOf, keyNamesOf, type Table } from "./table.ts";
import { toTime } from "./times.ts";

/*
 * What has changed in a table since a cursor, each record's last change once.
 *
 * A pass reads the partitions of the index of changes one after another, from the cursor's time up to a time that is fixed when the
 * pass begins. That time is so long ago that no later change can get an earlier time. A record that changes during a pass moves
 * beyond the end of the pass, and appears in the next one. See docs/decisions/changes.md.
 */

/** A page of changes. `Key` has the fields of a record's key. */
export interface ChangesPage<R, Key> {
  /** Records that were created or changed, as they are now. */
  changed: R[];
  /** Records that were deleted. */
  deleted: (Key & { deleted_at: string })[];
  /** Where the next page begins. Store it once this page has been applied. */
  cursor: string;
  /** Whether more changes may already be available. */
  more: boolean;
}

export interface ChangesRequest {
  /** Maximum number of records that are read for the page. Default: 1000. */
  limit?: number | undefined;
  /** `cursor` of the previous page. Without it, the pages are a copy of all records. */
  cursor?: string | undefined;
}

const defaultLimit = 1_000;

/** The operation that follows the changes of a table. `Arguments` has the values of the fields that divide them, if there are any. */
export interface ChangesOperation<R, Key, Arguments extends unknown[] = []> {
  /**
   * Reads a page of what has changed since a cursor, each record's last change once, some 30 seconds after the change. Returns
   * `undefined` if the cursor can no longer be used. The reader then has to begin again without a cursor, and to remove every
   * record that it does not receive again.
   */
  changes(...args: [...Arguments, request?: ChangesRequest]): Promise<ChangesPage<R, Key> | undefined>;
}

/**
 * Returns the operation that follows the changes of a table that declares them. If fields divide the changes, its first argument has
 * their values.
 */
export const changesOn = (table: Table<object>, declaration: AnyTable) => {
  const fixedFields = fixedFieldsOf(declaration);
  const { shards = liveShards } = typeof declaration.changes === "object" ? declaration.changes : {};
  const ofAll = shards.map((shard) => ({ [changeShard]: { S: shard } }));
  return (...args: [partition: Values, request?: ChangesRequest] | [request?: ChangesRequest]) => {
    if (fixedFields.length === 0) return changesPage(table, declaration, ofAll, args[0] ?? {});
    const [partition = {}, request = {}] = args;
    const values = Object.fromEntries(fixedFields.map((name) => [name, Reflect.get(partition, name)]));
    return changesPage(table, declaration, [checkedKey(values, declaration)], request);
  };
};

/**
 * Reads a page of changes. Returns `undefined` if the cursor cannot be continued, because it is too old, or from another table or
 * partition. Then the reader has to begin again without a cursor.
 *
 * A page takes at most one request for each partition of the index, and reads at most `limit` items. Eventually consistent.
 *
 * @param partitions the partitions of the index that together have all records, as attributes
 */
const changesPage = async <R extends object, Key extends object>(
  table: Table<R>,
  declaration: AnyTable,
  partitions: readonly Item[],
  { cursor, limit = defaultLimit }: ChangesRequest,
): Promise<ChangesPage<R, Key> | undefined> => {
  const { timeOfChange: sort = "", changes, codec = flatCodec } = declaration;
  const { attributes = undefined } = typeof changes === "object" ? changes : {};
  const feed = hash("sha256", JSON.stringify([table.tableName, partitions]), "base64url").slice(0, 12);
  const now = Date.now();
  const begun = cursor === undefined ? { feed, since: 0 } : parseFeedCursor(cursor);
  if (begun?.feed !== feed || !canContinue(begun, now)) return undefined;
  const { since, until = Math.max(since, now - holdbackMilliseconds) } = begun;
  const [from, to] = [toTime(since + 1), toTime(until)];
  const positions = positionsIn(declaration, { index: changeIndexName });
  let { place = 0, after } = begun;
  const time = after === undefined ? undefined : (positions.keyOf(after)?.[sort]?.S ?? "");
  if (place >= partitions.length || (time !== undefined && (time < from || time > to))) return undefined;

  const page = newPage<R, Key>(declaration, { isCopy: since === 0, limit, read: (item) => table.readOnPage(item) });
  const ended = (isOver: boolean) => ({
    ...page.changes,
    cursor: feedCursor(isOver ? { feed, since: until } : { feed, since, until, place, after }),
    more: !isOver,
  });
  if (until === since) return ended(true);
  return withDeadline(async () => {
    for (; place < partitions.length; place += 1) {
      if (page.room() === 0) return ended(false);
      const partition = partitions[place] ?? {};
      const conditions = Object.keys(partition).map((name) => `#${name} = :${name}`);
      const { Items: items = [], LastEvaluatedKey: last } = await table.query({
        IndexName: changeIndexName,
        KeyConditionExpression: [...conditions, `#${sort} BETWEEN :from AND :to`].join(" AND "),
        ExpressionAttributeValues: { ...toPlaceholders(partition), ...toItem({ ":from": from, ":to": to }) },
        ...(attributes && selection(attributes)),
        Limit: page.room(),
        ...(after !== undefined && { ExclusiveStartKey: { ...partition, ...positions.keyOf(after) } }),
      });
      for (const item of items) {
        if (!isWithin(item, partition, codec)) throw invalidResponse("The page has an item of another partition.");
        if (!page.add(item)) return ended(false);
        after = positions.of(item);
      }
      after = last && positions.of(last);
      if (last) return ended(false);
    }
    return ended(true);
  });
};

const isWithin = (item: Item, partition: Item, { isSame }: Codec): boolean =>
  Object.entries(partition).every(([name, value]) => isSame(item[name], value));

interface PageOptions<R> {
  /** Whether this is the first copy, which does not show deleted records. */
  isCopy: boolean;
  limit: number;
  /** Reads an item; `undefined` if it is not a record. */
  read: (item: Item) => R | undefined;
}

/** Collects the items of a page. */
const newPage = <R extends object, Key>(declaration: AnyTable, { isCopy, limit, read }: PageOptions<R>) => {
  const changes: Pick<ChangesPage<R, Key>, "changed" | "deleted"> = { changed: [], deleted: [] };
  const readDeleted = deletedReader<Key>(declaration);
  let [room, bytes] = [limit, 0];
  return {
    changes,
    room: () => room,
    /** Adds an item. Returns false if there is no room for it. */
    add(item: Item): boolean {
      const record = read(item);
      const deleted = record || isCopy ? undefined : readDeleted(item);
      bytes += Buffer.byteLength(JSON.stringify(record ?? deleted ?? ""));
      if (bytes > maxPageBytes) return false;
      if (record) changes.changed.push(record);
      if (deleted) changes.deleted.push(deleted);
      room -= 1;
      return true;
    },
  };
};

/** Returns a function that reads the tombstone of a deleted record. It returns `undefined` for any other item. */
const deletedReader =
  <Key>({ codec = flatCodec, deletionMark = "", timeOfChange = "", ...declaration }: AnyTable) =>
  (item: Item): (Key & { deleted_at: string }) | undefined => {
    const deleted_at = item[timeOfChange]?.S;
    if (!item[deletionMark] || item.created_at || deleted_at === undefined) return undefined;
    const fields = fieldsOf(declaration);
    const key = keyNamesOf(declaration).map((name) => {
      const [field, attribute] = [fields[name], item[name]];
      return [name, field && attribute && codec.of(field).decode(attribute)];
    });
    return { ...Object.fromEntries(key), deleted_at };
  };
