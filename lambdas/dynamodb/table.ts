import type { AnyFields, FieldsOf, Item, ReadRecord, Values } from "./records.ts";

/** A DynamoDB action as IAM names it. */
export type DynamoDBAction = "GetItem" | "UpdateItem" | "Query" | "Scan";

/** A right to perform an action on a table: on whole items, only on the named attributes, or on an index. */
export type Right =
  | DynamoDBAction
  | { readonly action: DynamoDBAction; readonly attributes: readonly string[] }
  | { readonly action: DynamoDBAction; readonly index: string };

/** The rights that each operation of a store needs. */
export type Rights<Store> = { readonly [Operation in keyof Store]: readonly Right[] };

/** An update of one item, in DynamoDB's terms. */
export interface Update {
  /** An update expression, in which `:name` stands for a value, and `#name` for an attribute whose name may be reserved. */
  expression: string;
  /** A condition expression; without one the update always applies. */
  condition?: string;
  values: Values;
  /** Which attributes DynamoDB returns: all of the item after the update, or only the updated ones, before or after it. */
  returns?: "ALL_NEW" | "UPDATED_OLD" | "UPDATED_NEW";
  /** Whether DynamoDB returns the item if the condition does not hold for it. */
  returnsItemIfRefused?: boolean;
  /** How long it may take, if that is not `operationMilliseconds`. */
  milliseconds?: number;
}

/** The outcome of an update. */
export type Updated =
  | {
      applied: true;
      /** The attributes that it returned. */
      attributes: Item;
    }
  | {
      applied: false;
      /** The item for which the condition does not hold, if it was asked for and exists. */
      item?: Item | undefined;
      /** The response to an earlier attempt was lost, so that attempt may have been applied. */
      isRepeated: boolean;
    };

/** A change of one record: see `changeRecord`. */
export interface Change<R extends object> {
  /** A condition expression for the items that may be changed. `:now` stands for the current time. */
  condition: string;
  /** Whether a record may be changed, as in `condition`. The record is `undefined` if there is none. */
  appliesTo: (record: R | undefined, now: string) => boolean;
  /** The values to set, besides the time of the change. */
  set: (time: string) => Values;
  /** The attributes to remove. */
  remove?: readonly string[];
  /** The entry for the record's history: a unique text that begins with the time. */
  entry?: (time: string) => string;
  /**
   * The time of the record's last change as it was seen, if the change must only be made to exactly that record; or several
   * candidates.
   */
  seen?: readonly string[] | undefined;
}

/**
 * The outcome of a change: it was made, or it does not apply to the record. `found changed` means that DynamoDB's response was
 * lost, and the record shows that this change was made, or an equal one in the same millisecond.
 */
export interface Changed<R extends object> {
  outcome: "changed" | "found changed" | "refused";
  /** The record as it is now; `undefined` if there is none. */
  record: R | undefined;
}

export interface PageRequest {
  /** The most records of the page. Without it, the page has as many as fit into `maxPageBytes`. */
  limit?: number | undefined;
  /** The partition key after which the page begins. */
  after?: string | undefined;
  /** Only records whose partition key begins with this. The others are still read and paid for. */
  prefix?: string | undefined;
  /** Called with the error for each unreadable record, which is then left out. Without it, such a record fails the page. */
  unreadable?: ((error: unknown) => void) | undefined;
}

export interface Page<R> {
  records: R[];
  /** The partition key after which the next page begins; absent on the last page. */
  next?: string | undefined;
  /** How many items DynamoDB has read for it. */
  examined: number;
}

/**
 * One DynamoDB table. Each method ends within a deadline. A database that cannot be reached, fails or throttles is `ApiError`
 * `unavailable`, and so is an item that is not a record of the table.
 */
export interface Table<R extends object> {
  /** Reads one record, strongly consistent. */
  get(key: Partial<R>): Promise<R | undefined>;
  /** Creates, changes or deletes one record, safely. The table must have a `timeOfChange`. */
  change(key: Partial<R>, change: Change<R>): Promise<Changed<R>>;
  /** Updates one item as DynamoDB does. An attempt may be applied late, or more than once. */
  update(key: Partial<R>, update: Update): Promise<Updated>;
  /** Reads one item, including attributes that are not fields. The record may be deleted. */
  getItem(key: Partial<R>): Promise<Item | undefined>;
  /** One page in the table's own order, strongly consistent. Its cost does not grow with the table. */
  page(request: PageRequest): Promise<Page<R>>;
  /** One page, with the result of `map` for each record and its item. */
  pageOf<T>(request: PageRequest, map: (record: R, item: Item) => T): Promise<Page<T>>;
  /**
   * A step through the items of a shard of the index of changes, the most recently changed first. Eventually consistent.
   * The table must have a `timeOfChange` and `hasHistory`.
   */
  changed(request: ChangedRequest): Promise<ChangedItems>;
  /** Whether the table's own index has an item of a partition after a sort key. Eventually consistent, one read. */
  hasAfter(partition: string, sortKey: string): Promise<boolean>;
  /** All items of a partition from a sort key on. Eventually consistent, at half the price. */
  query(partition: string, fromSortKey: string): Promise<Item[]>;
  /** Reads attributes that an update returned. */
  read: ReadRecord<R>;
  /** Reads an item; `undefined` for the tombstone of a deleted record. */
  readUnlessDeleted(item: Item): R | undefined;
}

export interface ChangedRequest {
  shard: string;
  /** Only items that were changed at this time or later. */
  since?: string | undefined;
  /** The most items of the step; DynamoDB ends a step at 1 MB. */
  limit: number;
  /** Where the step begins: `next` of the previous one. */
  after?: Item | undefined;
}

export interface ChangedItems {
  items: Item[];
  /** Where the next step begins; absent if there is none. */
  next?: Item | undefined;
}

/** A table and the store on it: everything that the template, the functions' rights and the tests need to know. */
export interface TableDeclaration<R extends object, Store extends object> {
  /** The names of the fields that are the key. Both are texts. */
  partitionKey: keyof R & string;
  sortKey?: keyof R & string;
  /** The attribute with the time of a record's last change. A table whose records are changed as a whole needs one. */
  timeOfChange?: string;
  /** Its records have a history, and an index by the time of their last change: see `history.ts`. */
  hasHistory?: true;
  /** An index of its own, by two attributes that are texts, with nothing but keys. */
  index?: TableIndex;
  /** The attribute that marks the tombstone of a deleted record, which has no other fields than its key and its time. */
  deletionMark?: string;
  /** The attribute (Unix seconds) after which DynamoDB deletes an item, within days. */
  timeToLive?: string;
  /** The fields that the store reads. An item may hold others, which are ignored. */
  fields: FieldsOf<R>;
  /** The DynamoDB actions that each operation of the store performs: the IAM rights of the functions that use it. */
  rights: Rights<Store>;
  createStore(table: Table<R>): Store;
  /** A record as the store writes it, for tests and examples. */
  example: R;
}

/** An index of the items that have both attributes. */
export interface TableIndex {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
}

/** The names of a table's key attributes. */
export interface TableKey {
  partitionKey: string;
  sortKey?: string | undefined;
}

/** The names of a table's key attributes, as a list. */
export const keyNamesOf = ({ partitionKey, sortKey }: TableKey): string[] =>
  sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];

/** A table with any records, as the rest of the code sees it. */
export interface AnyTable extends TableKey {
  timeOfChange?: string;
  hasHistory?: true;
  index?: TableIndex;
  /** Its records have other fields, too, which the store must not read. */
  hasOtherFields?: true;
  deletionMark?: string;
  timeToLive?: string;
  fields: AnyFields;
  rights: Readonly<Record<string, readonly Right[]>>;
  createStore(table: Table<object>): object;
  example: object;
}

/** The store on a table. */
export type StoreOf<Declaration extends AnyTable> = ReturnType<Declaration["createStore"]>;

/** Declares a table. It only checks types. */
export const table = <R extends object, Store extends object>(
  declaration: TableDeclaration<R, Store>,
): TableDeclaration<R, Store> => declaration;
