import type {
  Update as AwsUpdate,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
} from "@aws-sdk/client-dynamodb";
import type * as z from "zod/mini";
import type { Codec } from "./attributes.ts";
import type { Item, ReadRecord, RecordSchema, Values } from "./records.ts";

/** A DynamoDB action, by its IAM name. */
export type DynamoDBAction = "GetItem" | "UpdateItem" | "Query" | "Scan";

/** A right to perform an action on a table or on an index: on whole items, or only on the named attributes. */
export type Right =
  | DynamoDBAction
  | { readonly action: DynamoDBAction; readonly attributes: readonly string[] }
  | { readonly action: DynamoDBAction; readonly index: string; readonly attributes?: readonly string[] };

/** The rights that each operation of a store needs. */
export type Rights<Store> = { readonly [Operation in keyof Store]: readonly Right[] };

/** An update of one item, in DynamoDB's terms. */
export interface Update {
  /** An update expression. `:name` stands for a value, and `#name` for an attribute whose name may be reserved. */
  expression: string;
  /** A condition expression. Without a condition, the update always applies. */
  condition?: string;
  values: Values;
  /** Which attributes DynamoDB returns: the whole item after the update, or only the updated attributes, before or after it. */
  returns?: "ALL_NEW" | "UPDATED_OLD" | "UPDATED_NEW";
  /** Whether DynamoDB returns the item if the condition fails. */
  returnsItemIfRefused?: boolean;
  /** Time limit of the update. Default: `operationMilliseconds`. */
  milliseconds?: number;
}

/** An update as it is sent to DynamoDB, without what it returns. */
export type UpdateInput = Omit<AwsUpdate, "ReturnValuesOnConditionCheckFailure">;

/** The outcome of an update. */
export type Updated =
  | {
      applied: true;
      /** The returned attributes. */
      attributes: Item;
    }
  | {
      applied: false;
      /** The item for which the condition failed, if it exists and was requested. */
      item?: Item | undefined;
      /** The response to an earlier attempt was lost, so that attempt may have been applied. */
      isRepeated: boolean;
    };

/** A change of one record: see `changeRecord`. */
export interface Change<R extends object> {
  /** A condition expression for items that may be changed. `:now` stands for the current time. Default: all. */
  condition?: string;
  /** Reads the item first, because the values to set depend on it. The change then applies to exactly the item that was read. */
  readsFirst?: boolean;
  /** Checks the item that the change applies to, which may be a tombstone. It throws if the change must not be made. */
  checkItem?: (item: Item) => unknown;
  /** Checks the same condition on a record that has been read. `record` is `undefined` if there is none. */
  appliesTo: (record: R | undefined, now: string) => boolean;
  /**
   * Returns the values to set, besides the time of the change. `record` is the record that the change applies to, if it has been
   * read.
   */
  set: (time: string, record?: R) => Values;
  /** Values to set only where the item has none. */
  setOnce?: (time: string) => Values;
  /** The attributes to remove, unless `set` sets them. A function gets what `set` returned. */
  remove?: readonly string[] | ((values: Values) => readonly string[]);
  /** Returns the entry for the record's history: a unique string that begins with the time. */
  entry?: (time: string) => string;
  /**
   * The time of the record's last change as the caller saw it, or several candidates. If set, only exactly that record is changed.
   */
  seen?: readonly string[] | undefined;
}

/** What a change needs to know about its table. */
export interface ChangedTable<R extends object> {
  /** Reads an item; `undefined` if it is the tombstone of a deleted record. */
  read: (item: Item) => R | undefined;
  toItem: (values: Values) => Item;
  isSame: Codec["isSame"];
  /** The attribute with the time of an item's last change. */
  timeOfChange: string;
}

/**
 * The outcome of a change: it was made, or it does not apply to the record. `found changed` means that DynamoDB's response was
 * lost, but the record shows this change, or an equal one made in the same millisecond.
 */
export interface Changed<R extends object> {
  outcome: "changed" | "found changed" | "refused";
  /** The current record; `undefined` if there is none. */
  record: R | undefined;
}

/** The positions in a table or in a partition: where a page ends and the next one begins. */
export interface Positions {
  /** Returns the position of an item or a key; `undefined` if it lacks a key attribute. */
  of(item: Item): string | undefined;
  /** Returns the key attributes of a position; `undefined` if no item can have it. */
  keyOf(position: string): Item | undefined;
}

export interface PageRequest {
  /** Maximum number of records. Without a maximum, the page has as many records as fit into `maxPageBytes`. */
  limit?: number | undefined;
  /** The position after which the page begins: `next` of the previous page. */
  after?: string | undefined;
  /** Only records whose partition key begins with this. DynamoDB still reads and charges for the others. */
  prefix?: string | undefined;
  /** Positions in a table whose key has two parts. Default: those in a table whose key is one string. */
  positions?: Positions | undefined;
  /**
   * Called with the error for each unreadable record, which is then left out. Without it, tables that are read strictly fail. Others
   * log the error in any case.
   */
  unreadable?: ((error: unknown) => void) | undefined;
}

export interface Page<R> {
  records: R[];
  /** The position after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** The number of items that DynamoDB read for the page. */
  examined: number;
}

/**
 * One DynamoDB table. Each method has a deadline. Methods throw `ApiError` `unavailable` if DynamoDB cannot be reached, fails or
 * throttles, and if an item is not a record of the table. Pages leave out and log items that are not records, unless the table is
 * read strictly.
 */
export interface Table<R extends object> {
  /** Reads one record, strongly consistent. */
  get(key: Partial<R>): Promise<R | undefined>;
  /** Creates, changes or deletes one record; late attempts cannot undo later changes. The table must have a `timeOfChange`. */
  change(key: Partial<R>, change: Change<R>): Promise<Changed<R>>;
  /** Updates one item with DynamoDB's own guarantees: an attempt may be applied late, or more than once. */
  update(key: Partial<R>, update: Update): Promise<Updated>;
  tableName: string;
  /** What a change needs to know about the table. The table must have a `timeOfChange`. */
  changed: ChangedTable<R>;
  /** Returns an update as a request, for a transaction. */
  updateInput(key: Partial<R>, update: Update): UpdateInput;
  /** Reads one item, including attributes that are not fields. It may be the tombstone of a deleted record. */
  getItem(key: Partial<R>): Promise<Item | undefined>;
  /** Reads one page in the table's own order, strongly consistent. The cost does not grow with the size of the table. */
  page(request: PageRequest): Promise<Page<R>>;
  /** Reads one page, and returns the result of `map` for each record and its item. */
  pageOf<T>(request: PageRequest, map: (record: R, item: Item) => T): Promise<Page<T>>;
  /** Makes one request for the items of a partition. Expressions refer to attributes as `#name`. */
  query(input: Omit<QueryCommandInput, "TableName">): Promise<QueryCommandOutput>;
  /** Makes one request for the items of the table. */
  scan(input: Omit<ScanCommandInput, "TableName">): Promise<ScanCommandOutput>;
  /** Reads an item of a page. Returns `undefined` for a tombstone, and for an unreadable item that the page leaves out. */
  readOnPage(item: Item): R | undefined;
  /** Reads the attributes that an update returned. */
  read: ReadRecord<R>;
  /** Reads an item. Returns `undefined` for the tombstone of a deleted record. */
  readUnlessDeleted(item: Item): R | undefined;
}

/** An index of the items that have all fields of its key. */
export interface TableIndex {
  /** The fields that together make up the partition. A query needs all of them. */
  readonly partition: readonly string[];
  readonly sort: string;
  /** The attributes that the index contains besides all keys. Default: whole items. */
  readonly attributes?: readonly string[];
  /** No function uses the index any more, and the deployment after this one may remove it. */
  readonly retired?: true;
}

/** The name of the index that finds a table's items by the time of their last change. */
export const changeIndexName = "by_change";

/**
 * The changes of a table can be followed: those of all records, or those with each value of the fields in `partition`, which can
 * then never change. See `change-feed.ts`.
 */
export type TableChanges =
  | true
  | {
      readonly partition?: readonly string[];
      /** The shards that together have all records and tombstones. Default: those of live records. */
      readonly shards?: readonly string[];
      /** The attributes that are read from the index. Default: whole items. */
      readonly attributes?: readonly string[];
      readonly retired?: true;
    };

/** Returns the fields that records and their tombstones keep for as long as they exist, because changes are looked up by these fields. */
export const fixedFieldsOf = ({ changes }: { changes?: TableChanges | undefined }): readonly string[] =>
  (typeof changes === "object" && changes.partition) || [];

export type TableIndexes = Readonly<Record<string, TableIndex>>;

/** A table and its store: everything that the template, the functions' permissions and the tests need to know. */
export interface TableDeclaration<R extends object, Store extends object> {
  /** The names of the key's fields. The partition key is text. */
  partitionKey: keyof R & string;
  sortKey?: keyof R & string;
  /** The attribute with the time of a record's last change. Required for `Table.change`. */
  timeOfChange?: string;
  /** Its records have a history: see `change-history.ts`. */
  hasHistory?: true;
  /** Indexes by name. */
  indexes?: TableIndexes;
  /** The attribute that marks the tombstone of a deleted record. Besides the mark, a tombstone has only its key and its time. */
  deletionMark?: string;
  /** The attribute (Unix seconds) after which DynamoDB deletes an item, within a few days. */
  timeToLive?: string;
  /** The schema of the fields that the store reads. Other attributes of an item are ignored. */
  schema: RecordSchema<R>;
  /** How the fields are stored. Default: as strings and numbers. */
  codec?: Codec;
  /**
   * Whether the rules of the schema also hold for what is read, and one item that breaks them fails a page. For tables that decide
   * about access. Otherwise, records that a later release would not accept are still read.
   */
  reads?: "strictly";
  /**
   * The DynamoDB actions that each store operation performs. The IAM permissions of functions that use it are derived from them.
   */
  rights: Rights<Store>;
  createStore(table: Table<R>): Store;
  /** A record as the store writes it, for tests and examples. */
  example: R;
}

/** The names of a table's key attributes. */
export interface TableKey {
  partitionKey: string;
  sortKey?: string | undefined;
}

/** Returns the names of a table's key attributes as a list. */
export const keyNamesOf = ({ partitionKey, sortKey }: TableKey): string[] =>
  sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];

/** Returns the names of the key attributes of an item in an index, including those of the table. */
export const indexKeyNames = (table: TableKey, { partition, sort }: TableIndex): string[] => [
  ...new Set([...keyNamesOf(table), ...partition, sort]),
];

/** A table with any records. */
export interface AnyTable extends TableKey {
  timeOfChange?: string;
  hasHistory?: true;
  indexes?: TableIndexes;
  /** Its items have other fields too, which the store must not read. */
  hasOtherFields?: true;
  deletionMark?: string;
  timeToLive?: string;
  changes?: TableChanges;
  schema: RecordSchema;
  codec?: Codec;
  reads?: "strictly";
  rights: Readonly<Record<string, readonly Right[]>>;
  createStore(table: Table<object>): object;
  /** Returns the changes that operations of the store make, for transactions. */
  plans?(): Readonly<Record<string, (...args: never[]) => object>>;
  /** Default: the examples in the schema. */
  example?: object;
}

/** Returns the schemas of a table's fields, by name. */
export const fieldsOf = ({ schema }: Pick<AnyTable, "schema">): Readonly<Record<string, z.core.$ZodType>> =>
  schema._zod.def.shape;

/** A table whose changes can be followed. Its store has `changes` too, which is added where stores are created. */
export interface FollowedTable<R extends object, Own extends object, Store extends Own>
  extends Omit<TableDeclaration<R, Own>, "rights"> {
  rights: Rights<Store>;
  changes: TableChanges;
  /** Only for the types. No declaration has this member. */
  store?: Store;
}

/** The store that reads and writes a table's records. */
export type StoreOf<Declaration extends AnyTable> = Declaration extends { store?: infer Store }
  ? Store
  : ReturnType<Declaration["createStore"]>;

/** Declares a table. It only checks types. */
export const table = <R extends object, Store extends object>(
  declaration: TableDeclaration<R, Store>,
): TableDeclaration<R, Store> => declaration;
