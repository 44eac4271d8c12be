import { LocalError } from "../support/local-error.ts";
import { definitionsSchema, globalKeySchema, keySchema, projectionSchema } from "../support/table-schema.ts";
import * as z from "../support/zod.ts";
import { type DeployedStacks, resourceType } from "./stack-resources.ts";

// Local runs cost nothing, so capacity doesn't matter.
const indexSchema = z.pipe(
  z.strictObject({
    IndexName: z.string(),
    KeySchema: globalKeySchema,
    Projection: projectionSchema,
    ContributorInsightsSpecification: z.optional(z.unknown()),
    ProvisionedThroughput: z.optional(z.unknown()),
    OnDemandThroughput: z.optional(z.unknown()),
    WarmThroughput: z.optional(z.unknown()),
    WriteProvisionedThroughputSettings: z.optional(z.unknown()),
  }),
  z.transform(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection })),
);

const tableSchema = z.strictObject({
  AttributeDefinitions: definitionsSchema,
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z._default(z.array(indexSchema), []),
  // A second region would require streams and a second database.
  Replicas: z.optional(z.array(z.unknown()).check(z.maxLength(1, "a table in several regions cannot run locally"))),
});

const tableType = (type: string) =>
  resourceType({
    type,
    nameProperty: "TableName",
    attributes: ({ name, arn }) => ({
      Arn: arn("dynamodb", `table/${name}`),
      StreamArn: arn("dynamodb", `table/${name}/stream/local`),
    }),
    ignored: {
      "nothing is paid for locally":
        "BillingMode OnDemandThroughput ProvisionedThroughput TableClass WarmThroughput WriteProvisionedThroughputSettings",
      "metrics are not collected locally": "ContributorInsightsSpecification",
      "the local run never deletes a table": "DeletionProtectionEnabled",
      "the data folder can be copied": "PointInTimeRecoverySpecification",
      "the data is as safe as the disk that it is on": "SSESpecification",
      "nothing that could read a stream runs locally": "StreamSpecification",
      "it is the table's name already": "TableName",
      "DynamoDB only promises deletion within days, so code must not rely on it": "TimeToLiveSpecification",
    },
    schema: tableSchema,
  });

export const tableTypes = ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"].map(tableType);

/** A table as the template declares it, in the format of DynamoDB's `CreateTable`. */
export type TableDefinition = Omit<z.infer<typeof tableSchema>, "Replicas"> & { TableName: string };

/** Reads the tables of all stacks. */
export const readTables = ({ readEach }: DeployedStacks): TableDefinition[] => {
  const names = new Set<string>();
  return tableTypes.flatMap((type) =>
    readEach(type, ({ resource, properties: { Replicas: _, ...definition } }) => {
      const TableName = resource.ref;
      if (names.has(TableName)) throw new LocalError(`Two tables are called ${TableName}: rename one of them.`);
      names.add(TableName);
      return { ...definition, TableName };
    }),
  );
};
