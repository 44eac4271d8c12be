import { definitionsSchema, keyElement, keySchema, projectionSchema } from "../../support/table-schema.ts";
import * as z from "../../support/zod.ts";
import { assertValid, failure } from "./errors.ts";
import type { Item } from "./values.ts";

const problem = "One or more parameter values were invalid:";

/** Validates the name of a table or an index. */
export const nameChecks = [
  z.minLength(3),
  z.maxLength(255),
  z.regex(/^[a-zA-Z0-9_.-]+$/, "must consist of letters, digits, dots, hyphens and underscores"),
] as const;

export const indexSchema = z.strictObject({
  IndexName: z.string().check(...nameChecks),
  KeySchema: z.array(keyElement),
  Projection: projectionSchema,
});

/** A table's definition, in the format of `CreateTable`. It is stored in this format. */
export const tableSchema = z.strictObject({
  TableName: z.string().check(...nameChecks),
  AttributeDefinitions: definitionsSchema,
  KeySchema: keySchema,
  BillingMode: z.literal("PAY_PER_REQUEST"),
  GlobalSecondaryIndexes: z.optional(z.array(indexSchema)),
});

export type TableDefinition = z.infer<typeof tableSchema>;
export type IndexDefinition = z.infer<typeof indexSchema>;

export interface KeyAttribute {
  name: string;
  type: "S" | "N" | "B";
  /** Whether it is part of the partition key or of the sort key. */
  kind: "HASH" | "RANGE";
}

export interface Index {
  name: string;
  keys: KeyAttribute[];
  /** The attributes that the index contains; undefined if it contains all. */
  projected: ReadonlySet<string> | undefined;
}

export interface Table {
  name: string;
  definition: TableDefinition;
  created: Creation;
  keys: KeyAttribute[];
  indexes: Index[];
}

/** What a table keeps when its definition changes. */
export interface Creation {
  /** Differs from the id of an earlier table with the same name. */
  id: string;
  /** Unix milliseconds. */
  time: number;
}

// Of a global secondary index. DynamoDB documents this limit.
const maximumKeysOfKind = 4;

/** @throws {DatabaseError} if DynamoDB rejects the definition */
export const tableOf = (definition: TableDefinition, created: Creation): Table => {
  const types = new Map(
    definition.AttributeDefinitions.map(({ AttributeName: name, AttributeType }) => [name, AttributeType]),
  );
  const used = new Set<string>();
  const keysOf = (keys: TableDefinition["KeySchema"], maximum = 1): KeyAttribute[] => {
    const kinds = keys.map(({ KeyType }) => KeyType);
    const partition = kinds.filter((kind) => kind === "HASH").length;
    assertValid(
      partition > 0 && partition <= maximum && kinds.length - partition <= maximum,
      `Invalid KeySchema: It must have 1 to ${maximum} HASH keys, and may have up to ${maximum} RANGE keys`,
    );
    assertValid(kinds.lastIndexOf("HASH") < partition, "Invalid KeySchema: HASH keys must precede RANGE keys");
    assertValid(keys.length <= types.size, "Invalid KeySchema: Some index key attribute have no definition");
    assertValid(
      firstTwice(keys.map(({ AttributeName }) => AttributeName)) === undefined,
      "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    );
    return keys.map(({ AttributeName: name, KeyType: kind }) => {
      const type = types.get(name);
      assertValid(type !== undefined, `${problem} Some keys are not defined in AttributeDefinitions. Keys: [${name}]`);
      used.add(name);
      return { name, type, kind };
    });
  };
  const keys = keysOf(definition.KeySchema);
  const indexes = (definition.GlobalSecondaryIndexes ?? []).map((index): Index => {
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
    const indexKeys = keysOf(index.KeySchema, maximumKeysOfKind);
    const projected = [...keys, ...indexKeys].map(({ name }) => name);
    return {
      name: index.IndexName,
      keys: indexKeys,
      projected: ProjectionType === "ALL" ? undefined : new Set([...projected, ...NonKeyAttributes]),
    };
  });
  const twice = firstTwice(indexes.map(({ name }) => name));
  assertValid(twice === undefined, `${problem} Duplicate index name: ${twice}`);
  assertValid(used.size === types.size, `${problem} AttributeDefinitions has attributes that are not part of a key`);
  return { name: definition.TableName, definition, created, keys, indexes };
};

const firstTwice = (names: string[]): string | undefined => names.find((name, place) => names.indexOf(name) < place);

/** Rejects new definitions that DynamoDB rejects. */
export const checkDefinition = (definition: TableDefinition): void => {
  const twice = firstTwice(definition.AttributeDefinitions.map(({ AttributeName }) => AttributeName));
  assertValid(twice === undefined, `${problem} Duplicate AttributeName in AttributeDefinitions: ${twice}`);
  for (const index of definition.GlobalSecondaryIndexes ?? []) checkIndex(index);
};

const checkIndex = ({ Projection: { ProjectionType, NonKeyAttributes } }: IndexDefinition): void => {
  const isIncluded = ProjectionType === "INCLUDE";
  const words = isIncluded ? "but NonKeyAttributes is not specified" : "but NonKeyAttributes is specified";
  assertValid(
    isIncluded === (NonKeyAttributes !== undefined),
    `${problem} ProjectionType is ${ProjectionType}, ${words}`,
  );
  const twice = firstTwice(NonKeyAttributes ?? []);
  assertValid(twice === undefined, `${problem} Duplicate attribute in NonKeyAttributes: ${twice}`);
};

const ProvisionedThroughput = { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 };

/** Describes a table like `DescribeTable`. */
export const describe = ({ definition, created }: Table, arnOf: (table: string) => string, TableStatus = "ACTIVE") => {
  const { BillingMode, GlobalSecondaryIndexes, ...rest } = definition;
  const TableArn = arnOf(definition.TableName);
  const indexOf = (index: IndexDefinition) => ({
    ...index,
    IndexArn: `${TableArn}/index/${index.IndexName}`,
    IndexSizeBytes: 0,
    IndexStatus: "ACTIVE",
    ItemCount: 0,
    ProvisionedThroughput,
  });
  const CreationDateTime = created.time / 1000;
  const summary = {
    BillingModeSummary: { BillingMode, LastUpdateToPayPerRequestDateTime: CreationDateTime },
    ItemCount: 0,
    ProvisionedThroughput,
    TableArn,
    TableId: created.id,
    TableName: definition.TableName,
    TableSizeBytes: 0,
    TableStatus,
  };
  if (TableStatus === "DELETING") return summary;
  return {
    ...rest,
    ...summary,
    CreationDateTime,
    ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(indexOf) }),
  };
};

/** Returns the table with one more index, and with any new definitions of its key attributes. */
export const withIndex = (
  { definition, created, indexes }: Table,
  index: IndexDefinition,
  definitions: TableDefinition["AttributeDefinitions"],
): Table => {
  const isNew = indexes.every(({ name }) => name !== index.IndexName);
  assertValid(isNew, "Attempting to create an index which already exists");
  checkIndex(index);
  const undefinedKey = index.KeySchema.find(({ AttributeName: key }) =>
    definitions.every(({ AttributeName }) => AttributeName !== key),
  );
  assertValid(
    undefinedKey === undefined,
    `${problem} Some keys are not defined in AttributeDefinitions. Keys: [${undefinedKey?.AttributeName}]`,
  );
  const known = new Map([...definition.AttributeDefinitions, ...definitions].map((one) => [one.AttributeName, one]));
  for (const { AttributeName, AttributeType } of definition.AttributeDefinitions) {
    const isSame = known.get(AttributeName)?.AttributeType === AttributeType;
    assertValid(
      isSame,
      `${problem} Attributes cannot be redefined. Please check that your attribute has the same type as previously defined: ${AttributeName}`,
    );
  }
  const { GlobalSecondaryIndexes = [] } = definition;
  const next = {
    ...definition,
    AttributeDefinitions: [...known.values()],
    GlobalSecondaryIndexes: [...GlobalSecondaryIndexes, index],
  };
  return tableOf(next, created);
};

/** Returns the table without a global secondary index, and without definitions of attributes that are no longer keys. */
export const withoutIndex = ({ definition, created }: Table, name: string): Table => {
  const { GlobalSecondaryIndexes: global = [], AttributeDefinitions, ...rest } = definition;
  const kept = global.filter(({ IndexName }) => IndexName !== name);
  if (kept.length === global.length) throw noSuchTable(`: No global secondary index is called ${name}`);
  const indexed = [definition, ...kept];
  const keys = indexed.flatMap(({ KeySchema }) => KeySchema.map(({ AttributeName }) => AttributeName));
  const next = {
    ...rest,
    AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => keys.includes(AttributeName)),
    ...(kept.length > 0 && { GlobalSecondaryIndexes: kept }),
  };
  return tableOf(next, created);
};

/** Returns a table as a stored item. */
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

/** Creates the error for a missing table. Requests for items get it without the table's name. */
export const noSuchTable = (which = "") => failure("ResourceNotFoundException", `Requested resource not found${which}`);
