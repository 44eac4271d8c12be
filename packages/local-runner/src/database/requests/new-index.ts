import { isRecord } from "../../support/is-record.ts";
import type { Storage } from "../storage/journaled-dynalite.ts";
import { isEmpty } from "./attribute-values.ts";
import { InvalidRequest } from "./refusals.ts";
import { type Ask, isTable, type Table } from "./tables.ts";

interface NewIndex {
  Create: {
    IndexName: string;
    KeySchema: { AttributeName: string; KeyType: string }[];
    Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
  };
}

/** Whether a member of `GlobalSecondaryIndexUpdates` adds an index, and nothing else. */
export const isNewIndex = (update: unknown): update is NewIndex => {
  if (!isRecord(update) || !hasOnly(update, ["Create"]) || !isRecord(update.Create)) return false;
  const { Create: index } = update;
  const { IndexName, KeySchema, Projection } = index;
  if (!hasOnly(index, ["IndexName", "KeySchema", "Projection"]) || !isRecord(Projection)) return false;
  const { ProjectionType, NonKeyAttributes = [] } = Projection;
  return (
    /^[\w.-]{3,255}$/.test(String(IndexName)) &&
    Array.isArray(KeySchema) &&
    KeySchema.length <= 2 &&
    KeySchema.every((key, place) => isRecord(key) && key.KeyType === (place === 0 ? "HASH" : "RANGE")) &&
    hasOnly(Projection, ["ProjectionType", "NonKeyAttributes"]) &&
    ["ALL", "KEYS_ONLY", "INCLUDE"].includes(String(ProjectionType)) &&
    Array.isArray(NonKeyAttributes)
  );
};

const hasOnly = (value: Record<string, unknown>, names: string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/**
 * Adds a global secondary index to a table, with the entries of all items that belong into it. The engine cannot do that.
 *
 * @returns DynamoDB's answer
 */
export const addIndex = async (
  { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates }: Record<string, unknown>,
  { ask, storage }: { ask: Ask; storage: Pick<Storage, "redefineTable"> },
): Promise<Record<string, unknown>> => {
  const answer = await ask("DescribeTable", { TableName });
  const { Table: table } = answer;
  if (!isTable(table)) return answer;
  const [update]: unknown[] = Array.isArray(GlobalSecondaryIndexUpdates) ? GlobalSecondaryIndexUpdates : [];
  if (!isNewIndex(update)) throw new InvalidRequest("GlobalSecondaryIndexUpdates has no index to create");
  const description = withIndex(table, update, Array.isArray(AttributeDefinitions) ? AttributeDefinitions : []);
  await storage.redefineTable(description, async () => {
    for await (const item of itemsWith(update, table.TableName, ask)) {
      // The engine makes the entries when an item is stored. It refuses an item whose attributes have other types than the
      // keys of the index, and DynamoDB leaves such an item out of the index.
      const stored = await ask("PutItem", { TableName, Item: item });
      const { __type: refusal } = stored;
      if (refusal !== undefined && !String(refusal).endsWith("#ValidationException")) throw new Error(String(refusal));
    }
  });
  return { TableDescription: description };
};

const withIndex = (table: Table, { Create: index }: NewIndex, added: unknown[]): Table => {
  const { GlobalSecondaryIndexes = [], AttributeDefinitions, TableName, TableArn } = table;
  if (GlobalSecondaryIndexes.some(({ IndexName }) => IndexName === index.IndexName)) {
    throw new InvalidRequest("Attempting to create an index which already exists");
  }
  const types = new Map(AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]));
  for (const { AttributeName, AttributeType } of added.filter(isRecord)) {
    const [name, type] = [String(AttributeName), String(AttributeType)];
    if (!["S", "N", "B", types.get(name)].includes(type) || type !== (types.get(name) ?? type)) {
      throw new InvalidRequest(`Table ${TableName} already defines another type of ${name}`);
    }
    types.set(name, type);
  }
  const undefinedKey = index.KeySchema.find(({ AttributeName }) => !types.has(AttributeName));
  if (undefinedKey !== undefined) {
    throw new InvalidRequest(
      "One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. " +
        `Keys: [${undefinedKey.AttributeName}]`,
    );
  }
  const created = {
    ...index,
    IndexArn: `${TableArn}/index/${index.IndexName}`,
    IndexSizeBytes: 0,
    ItemCount: 0,
    IndexStatus: "ACTIVE",
    ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 },
  };
  return {
    ...table,
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    GlobalSecondaryIndexes: [...GlobalSecondaryIndexes, created],
  };
};

/** All items that have the keys of an index, none of them empty. */
async function* itemsWith({ Create: index }: NewIndex, TableName: string, ask: Ask): AsyncGenerator<unknown> {
  const names = index.KeySchema.map(({ AttributeName }) => AttributeName);
  const filter = {
    FilterExpression: names.map((_, place) => `attribute_exists(#key${place})`).join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, place) => [`#key${place}`, name])),
  };
  let from: unknown;
  do {
    const page = await ask("Scan", { TableName, ...filter, ...(from !== undefined && { ExclusiveStartKey: from }) });
    if (!Array.isArray(page.Items)) throw new Error(`the items of ${TableName} cannot be read: ${page.__type}`);
    yield* page.Items.filter(isRecord).filter((item) => !names.some((name) => isEmpty(item[name])));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
}
