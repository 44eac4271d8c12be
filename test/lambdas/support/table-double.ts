import { type FieldsOf, recordReader } from "../../../lambdas/dynamodb/records.ts";
import type { Table, Updated } from "../../../lambdas/dynamodb/table.ts";

/** A table whose updates return the outcomes that a test specifies. Its other operations must not be used. */
export const tableThatReturns = <R extends object>(updated: Updated, fields: FieldsOf<R>): Table<R> => {
  const unused = () => {
    throw new Error("The test expects updates only.");
  };
  return {
    get: unused,
    getItem: unused,
    change: unused,
    page: unused,
    pageOf: unused,
    query: unused,
    changed: unused,
    update: async () => updated,
    read: recordReader(fields),
    readUnlessDeleted: recordReader(fields),
  };
};
