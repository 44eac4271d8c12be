import { LocalError } from "../local-error.ts";
import * as z from "../zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

const projectionSchema = z.strictObject({
  ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
  NonKeyAttributes: z.optional(z.array(z.string())),
});

// Capacity is paid for, and there is nothing to pay locally.
const capacity = {
  ProvisionedThroughput: z.optional(z.unknown()),
  OnDemandThroughput: z.optional(z.unknown()),
  ReadOnDemandThroughputSettings: z.optional(z.unknown()),
  ReadProvisionedThroughputSettings: z.optional(z.unknown()),
  WriteOnDemandThroughputSettings: z.optional(z.unknown()),
  WriteProvisionedThroughputSettings: z.optional(z.unknown()),
  WarmThroughput: z.optional(z.unknown()),
  ContributorInsightsSpecification: z.optional(z.unknown()),
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
  // A second region would need streams, and a database to replicate to.
  Replicas: z.optional(z.array(z.unknown()).check(z.maxLength(1, "a table in several regions"))),
});

const harmless = {
  BillingMode: "nothing is paid for locally",
  ContributorInsightsSpecification: "metrics are not collected locally",
  DeletionProtectionEnabled: "the local run never deletes a table",
  OnDemandThroughput: "nothing is paid for locally",
  PointInTimeRecoverySpecification: "the data folder can be copied",
  ProvisionedThroughput: "nothing is paid for locally",
  SSESpecification: "the data folder is as safe as the disk that it is on",
  TableClass: "nothing is paid for locally",
  TableName: "read already: it is the table's identity",
  Tags: "a text for people",
  TimeToLiveSpecification: "DynamoDB promises deletion within days only, so code must not rest on it",
  WarmThroughput: "nothing is paid for locally",
  WriteOnDemandThroughputSettings: "nothing is paid for locally",
  WriteProvisionedThroughputSettings: "nothing is paid for locally",
};

/** A table as the template declares it, in the terms of DynamoDB's own `CreateTable`. */
export type TableDefinition = Omit<z.infer<typeof tableSchema>, "Replicas"> & { readonly TableName: string };

/** Reads the tables of all stacks. */
export function readTables(resources: readonly StackResource[]): TableDefinition[] {
  const tables = resources.filter(
    ({ type }) => type === "AWS::DynamoDB::Table" || type === "AWS::DynamoDB::GlobalTable",
  );
  const names = new Set<string>();
  return tables.map((resource) => {
    const { Replicas: _, ...definition } = readProperties(resource, tableSchema, harmless);
    const TableName = resource.identity.ref;
    if (names.has(TableName)) throw new LocalError(`Two tables are called ${TableName}: rename one of them.`);
    names.add(TableName);
    return { ...definition, TableName };
  });
}
