import { isRecord } from "../../support/is-record.ts";
import { type Entries, type Operation, rangeOf, tableKey } from "./stored-entries.ts";

/**
 * Returns the changes that complete the tables whose creation was interrupted. dynalite stores a new table first and makes it
 * active a moment later. If the process is killed in between, dynalite would never answer requests for the table.
 */
export const completeTables = async (database: Entries): Promise<Operation[]> => {
  const operations: Operation[] = [];
  for await (const [key, table] of database.iterator(rangeOf(tableKey("")))) {
    if (!isRecord(table) || table.TableStatus !== "CREATING") continue;
    const { GlobalSecondaryIndexes: indexes } = table;
    const active = Array.isArray(indexes) && {
      GlobalSecondaryIndexes: indexes.map((index: object) => ({ ...index, IndexStatus: "ACTIVE" })),
    };
    operations.push({ type: "put", key, value: { ...table, ...active, TableStatus: "ACTIVE" } });
  }
  return operations;
};
