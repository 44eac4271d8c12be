import { definitionsSchema, keySchema, projectionSchema } from "../../support/table-schema.ts";
import * as z from "../../support/zod.ts";
import { failure, invalid } from "./errors.ts";
import type { Item } from "./values.ts";

export const namePattern = /^[\w.-]{3,255}$/;

export const indexSchema = z.strictObject({
  IndexName: z.string().check(z.regex(namePattern)),
  KeySchema: keySchema,
  Projection: projectionSchema,
  ProvisionedThroughput: z.optional(z.unknown()),
});

/** What defines a table, as in `CreateTable`. It is stored in this form. */
export const tableSchema = z.strictObject({
  TableName: z.string().check(z.regex(namePattern)),
  AttributeDefinitions: definitionsSchema,
  KeySchema: keySchema,
  BillingMode: z.optional(z.enum(["PAY_PER_REQUEST", "PROVISIONED"])),
  ProvisionedThroughput: z.optional(z.unknown()),
  GlobalSecondaryIndexes: z.optional(z.array(indexSchema)),
  LocalSecondaryIndexes: z.optional(z.array(indexSchema)),
});

export type TableDefinition = z.infer<typeof tableSchema>;
export type IndexDefinition = z.infer<typeof indexSchema>;

export interface KeyAttribute {
  name: string;
  type: "S" | "N" | "B";
}

export interface Index {
  name: string;
  isGlobal: boolean;
  keys: KeyAttribute[];
  /** The attributes that it has; undefined if it has all. */
  projected: ReadonlySet<string> | undefined;
}

export interface Table {
  name: string;
  definition: TableDefinition;
  created: Creation;
  keys: KeyAttribute[];
  indexes: Index[];
}

/** What a table keeps while its definition changes. */
export interface Creation {
  /** Differs from that of an earlier table of the same name. */
  id: string;
  /** Unix milliseconds. */
  time: number;
}

/** @throws {DatabaseError} if DynamoDB refuses the definition */
export const tableOf = (definition: TableDefinition, created: Creation): Table => {
  const types = new Map(
    definition.AttributeDefinitions.map(({ AttributeName: name, AttributeType }) => [name, AttributeType]),
  );
  const used = new Set<string>();
  const keysOf = (keys: TableDefinition["KeySchema"]): KeyAttribute[] => {
    if (keys.some(({ KeyType }, place) => KeyType !== (place === 0 ? "HASH" : "RANGE")) || keys.length === 0) {
      throw invalid(
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type, or the second not a RANGE key type",
      );
    }
    if (keys[0]?.AttributeName === keys[1]?.AttributeName) {
      throw invalid(
        "Invalid KeySchema: Both the Hash Key and the Range Key element in the KeySchema have the same name",
      );
    }
    return keys.map(({ AttributeName: name }) => {
      const type = types.get(name);
      if (type === undefined) {
        throw invalid(
          `One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}]`,
        );
      }
      used.add(name);
      return { name, type };
    });
  };
  const keys = keysOf(definition.KeySchema);
  const indexOf =
    (isGlobal: boolean) =>
    (index: IndexDefinition): Index => {
      const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
      const indexKeys = keysOf(index.KeySchema);
      const projected = [...keys, ...indexKeys].map(({ name }) => name);
      return {
        name: index.IndexName,
        isGlobal,
        keys: indexKeys,
        projected: ProjectionType === "ALL" ? undefined : new Set([...projected, ...NonKeyAttributes]),
      };
    };
  const { GlobalSecondaryIndexes: global = [], LocalSecondaryIndexes: local = [] } = definition;
  const indexes = [...global.map(indexOf(true)), ...local.map(indexOf(false))];
  const names = new Set(indexes.map(({ name }) => name));
  if (names.size < indexes.length) {
    throw invalid(`One or more parameter values were invalid: Duplicate index name: ${[...names].join(", ")}`);
  }
  if (
    local.some(({ KeySchema }) => keys.length + KeySchema.length < 4 || KeySchema[0]?.AttributeName !== keys[0]?.name)
  ) {
    throw invalid(
      "One or more parameter values were invalid: Index KeySchema does not have the hash key of the table and a range key",
    );
  }
  if (definition.AttributeDefinitions.length > used.size) {
    throw invalid(
      "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    );
  }
  return { name: definition.TableName, definition, created, keys, indexes };
};

const noCapacity = { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 };

/** A table as `DescribeTable` shows it. */
export const describe = ({ definition, created }: Table, arnOf: (table: string) => string, TableStatus = "ACTIVE") => {
  const { BillingMode = "PROVISIONED", GlobalSecondaryIndexes, LocalSecondaryIndexes, TableName, ...keys } = definition;
  const sizes = { ItemCount: 0, ProvisionedThroughput: { ...noCapacity, ...Object(definition.ProvisionedThroughput) } };
  const TableArn = arnOf(TableName);
  const indexOf = (index: IndexDefinition) => ({
    ...index,
    IndexArn: `${TableArn}/index/${index.IndexName}`,
    IndexSizeBytes: 0,
    ItemCount: 0,
  });
  return {
    TableName,
    TableArn,
    TableStatus,
    ...keys,
    ...sizes,
    TableSizeBytes: 0,
    TableId: created.id,
    CreationDateTime: created.time / 1000,
    ...(BillingMode === "PAY_PER_REQUEST" && { BillingModeSummary: { BillingMode } }),
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes: LocalSecondaryIndexes.map(indexOf) }),
    ...(GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index) => ({
        ...indexOf(index),
        IndexStatus: "ACTIVE",
        ...sizes,
      })),
    }),
  };
};

/** The table with one more index, and possibly definitions of the attributes of its key. */
export const withIndex = (
  { definition, created, indexes }: Table,
  index: IndexDefinition,
  definitions: TableDefinition["AttributeDefinitions"],
): Table => {
  if (indexes.some(({ name }) => name === index.IndexName)) {
    throw invalid("Attempting to create an index which already exists");
  }
  const known = new Map([...definition.AttributeDefinitions, ...definitions].map((one) => [one.AttributeName, one]));
  for (const { AttributeName, AttributeType } of definition.AttributeDefinitions) {
    if (known.get(AttributeName)?.AttributeType === AttributeType) continue;
    throw invalid(`Table ${definition.TableName} already defines another type of ${AttributeName}`);
  }
  const { GlobalSecondaryIndexes = [] } = definition;
  const next = {
    ...definition,
    AttributeDefinitions: [...known.values()],
    GlobalSecondaryIndexes: [...GlobalSecondaryIndexes, index],
  };
  return tableOf(next, created);
};

/** A table as a stored item. */
export const itemOfTable = ({ definition, created }: Table): Item => ({
  definition: { S: JSON.stringify(definition) },
  table_id: { S: created.id },
  created_at: { N: String(created.time) },
});

export const tableOfItem = ({ definition, table_id, created_at }: Item): Table =>
  tableOf(tableSchema.parse(JSON.parse(definition?.S ?? "")), {
    id: table_id?.S ?? "",
    time: Number(created_at?.N),
  });

export const noSuchTable = (name: string) =>
  failure("ResourceNotFoundException", `Requested resource not found: Table: ${name} not found`);
