import type { AnyTable } from "../dynamodb/table.ts";
import { sampleOf } from "../shared/validation/sample-value.ts";

/** Returns a record as a table's store writes it, for tests and the documentation. No function needs it. */
export const exampleRecord = ({ schema, example }: Pick<AnyTable, "schema" | "example">): object =>
  example ?? Object(sampleOf(schema));
