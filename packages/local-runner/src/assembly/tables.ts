import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

const projectionSchema = z.strictObject({
  ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
  NonKeyAttributes: z.optional(z.array(z.string())),
});

// Nothing is paid for locally, so capacity makes no difference.
const capacity = {
  ProvisionedThroughput: z.optional(z.unknown()),
  OnDemandThroughput: z.optional(z.unknown()),
};

const indexSchema = z.pipe(
  z.strictObject({ IndexName: z.string(), KeySchema: keySchema, Projection: projectionSchema, ...capacity }),
  z.transform(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection })),
);

const tableSchema = z.strictObject({
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z._default(z.array(indexSchema), []),
  LocalSecondaryIndexes: z._default(z.array(indexSchema), []),
  // A second region would need streams and a second database.
  Replicas: z.optional(z.array(z.unknown()).check(z.maxLength(1, "a table in several regions cannot run locally"))),
});

/** A table as the template declares it, in the form of DynamoDB's `CreateTable`. */
export type TableDefinition = Omit<z.infer<typeof tableSchema>, "Replicas"> & { TableName: string };

/** Reads the tables of all stacks. */
export const readTables = (resources: StackResource[]): TableDefinition[] => {
  const tables = resources.filter(
    ({ type }) => type === "AWS::DynamoDB::Table" || type === "AWS::DynamoDB::GlobalTable",
  );
  const names = new Set<string>();
  return tables.map((resource) => {
    const { Replicas: _, ...definition } = readProperties(resource, tableSchema);
    const TableName = resource.identity.ref;
    if (names.has(TableName)) throw new LocalError(`Two tables are called ${TableName}: rename one of them.`);
    names.add(TableName);
    return { ...definition, TableName };
  });
};
