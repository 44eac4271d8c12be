/** A change of what dynalite stores. */
export type Operation = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };

/** What is needed of the database in which dynalite stores everything. */
export interface Entries {
  get: (key: string) => Promise<unknown>;
  iterator: (range: { gte: string; lt: string }) => AsyncIterable<[string, unknown]>;
}

// How dynalite names what it stores: descriptions of tables, their items, and the entries of their indexes.
export const tableKey = (table: string): string => `table~${table}`;
export const itemPrefix = (table: string): string => `item-${table}~`;
export const indexPrefix = "index-";
const indexKey = /^index-(?:local|global)~([^~]+)~([^~]+)~/;

/** The table and the index that an entry belongs to. */
export const indexOf = (key: string): { tableName: string; indexName: string } => {
  const [, tableName = "", indexName = ""] = indexKey.exec(key) ?? [];
  return { tableName, indexName };
};

/** All entries whose key begins like this. */
export const rangeOf = (prefix: string): { gte: string; lt: string } => ({ gte: prefix, lt: `${prefix}\u{10ffff}` });
