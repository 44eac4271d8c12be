import type { FieldsOf, Item, ReadRecord, Values } from "./records.ts";
import type { Right, Rights } from "./rights.ts";

/** A change of one item. */
export interface Update {
  /** An update expression in which `:name` stands for a value. */
  expression: string;
  /** A condition expression; without one the change always applies. */
  condition?: string;
  values: Values;
  /** Which attributes DynamoDB returns: of the item before or after the change, all or only the changed ones. */
  returns?: "ALL_OLD" | "ALL_NEW" | "UPDATED_OLD" | "UPDATED_NEW";
  /** Gives up this early instead of after the usual deadline of a call. */
  giveUpAfterMilliseconds?: number;
}

/** Whether a change was applied, and the attributes that it returned, if any. */
export interface Updated {
  applied: boolean;
  attributes?: Item | undefined;
}

export interface PageRequest {
  limit: number;
  /** The partition key after which the page begins. */
  after?: string | undefined;
}

export interface Page<R> {
  records: R[];
  /** The partition key after which the next page begins; absent on the last page. */
  next?: string;
}

/**
 * One DynamoDB table. Each method is one call, retried within a deadline; a database that cannot be reached, fails or
 * throttles is `ApiError` `unavailable`, and so is an item that is not a record of the table.
 */
export interface Table<R extends object> {
  /** Reads one record, strongly consistent. */
  get(key: Partial<R>): Promise<R | undefined>;
  /** Writes a whole record, with attributes that only the table needs, such as its time-to-live. */
  put(record: R, attributes?: Values): Promise<void>;
  update(key: Partial<R>, update: Update): Promise<Updated>;
  /** Deletes a record. `deleted` is the record as it was; `attempts` is how often the call was sent. */
  delete(key: Partial<R>): Promise<{ deleted: R | undefined; attempts: number }>;
  /** One page in the table's own order, strongly consistent. Its cost does not grow with the table. */
  page(request: PageRequest): Promise<Page<R>>;
  /** All items of a partition from a sort key on. Eventually consistent, at half the price. */
  query(partition: string, fromSortKey: string): Promise<Item[]>;
  /** Reads attributes that an update returned. */
  read: ReadRecord<R>;
}

/** A table and the store on it: everything that the template, the functions' rights and the tests need to know. */
export interface TableDeclaration<R extends object, Store extends object> {
  /** The names of the fields that are the key. Both are texts. */
  partitionKey: keyof R & string;
  sortKey?: keyof R & string;
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

/** A table declaration as the rest of the code sees it, whatever its records are. */
export interface AnyTable {
  partitionKey: string;
  sortKey?: string;
  timeToLive?: string;
  fields: Readonly<Record<string, string>>;
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
