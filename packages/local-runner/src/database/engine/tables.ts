import { definitionsSchema, keySchema, projectionSchema } from "../../support/table-schema.ts";
import * as z from "../../support/zod.ts";
import { assertValid, failure } from "./errors.ts";
import type { Item } from "./values.ts";

const problem = "One or more parameter values were invalid:";

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
    const kinds = keys.map(({ KeyType }) => KeyType).join(" ");
    assertValid(
      kinds === "HASH" || kinds === "HASH RANGE",
      "Invalid KeySchema: It must have a HASH key and may have a RANGE key",
    );
    assertValid(keys[0]?.AttributeName !== keys[1]?.AttributeName, "Invalid KeySchema: Both keys have the same name");
    return keys.map(({ AttributeName: name }) => {
      const type = types.get(name);
      assertValid(type !== undefined, `${problem} Some keys are not defined in AttributeDefinitions. Keys: [${name}]`);
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
  assertValid(names.size === indexes.length, `${problem} Duplicate index name`);
  const areLocal = local.every(
    ({ KeySchema: [first, second] }) =>
      keys.length === 2 && second !== undefined && first?.AttributeName === keys[0]?.name,
  );
  assertValid(areLocal, `${problem} A local index must have the hash key of the table, and both a range key`);
  assertValid(used.size === types.size, `${problem} AttributeDefinitions has attributes that are not part of a key`);
  return { name: definition.TableName, definition, created, keys, indexes };
};

const noCapacity = { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 };

/** A table as `DescribeTable` shows it. */
export const describe = ({ definition, created }: Table, arnOf: (table: string) => string, TableStatus = "ACTIVE") => {
  const { BillingMode = "PROVISIONED", GlobalSecondaryIndexes, LocalSecondaryIndexes, ...rest } = definition;
  const ProvisionedThroughput = { ...noCapacity, ...Object(definition.ProvisionedThroughput) };
  const TableArn = arnOf(definition.TableName);
  const indexOf = (index: IndexDefinition) => ({
    ...index,
    ...{ IndexArn: `${TableArn}/index/${index.IndexName}`, IndexSizeBytes: 0, ItemCount: 0 },
  });
  const globalIndexOf = (index: IndexDefinition) => ({
    ...indexOf(index),
    IndexStatus: "ACTIVE",
    ProvisionedThroughput,
  });
  return {
    ...rest,
    ...{ TableArn, TableId: created.id, TableStatus, CreationDateTime: created.time / 1000 },
    ...{ ItemCount: 0, TableSizeBytes: 0, ProvisionedThroughput },
    ...(BillingMode === "PAY_PER_REQUEST" && { BillingModeSummary: { BillingMode } }),
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes: LocalSecondaryIndexes.map(indexOf) }),
    ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(globalIndexOf) }),
  };
};

/** The table with one more index, and possibly definitions of the attributes of its key. */
export const withIndex = (
  { definition, created, indexes }: Table,
  index: IndexDefinition,
  definitions: TableDefinition["AttributeDefinitions"],
): Table => {
  const isNew = indexes.every(({ name }) => name !== index.IndexName);
  assertValid(isNew, "Attempting to create an index which already exists");
  const known = new Map([...definition.AttributeDefinitions, ...definitions].map((one) => [one.AttributeName, one]));
  for (const { AttributeName, AttributeType } of definition.AttributeDefinitions) {
    const isSame = known.get(AttributeName)?.AttributeType === AttributeType;
    assertValid(isSame, `Table ${definition.TableName} already defines another type of ${AttributeName}`);
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
