import { isRecord } from "../../support/is-record.ts";
import { type Entries, type Operation, rangeOf, tableKey } from "./stored-entries.ts";

/**
 * Finds what completes the tables that were being created when the process was killed. dynalite completes a table a moment
 * after it has stored it, and would never answer for one that was not completed.
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
