import type { Storage } from "./storage.ts";
import type { Table } from "./tables.ts";
import type { Item } from "./values.ts";

/** A change to one item. */
export interface Write {
  table: string;
  key: Item;
  before: Item | undefined;
  after: Item | undefined;
}

/** The shared state of the operations. */
export interface Context {
  storage: Storage;
  tables: Map<string, Table>;
  /** @throws {DatabaseError} if the table doesn't exist */
  tableNamed: (name: string) => Table;
  arnOf: (table: string) => string;
  now: () => number;
  /** Called for each item that was written. */
  onWrite: (write: Write) => void;
}
