import { isRecord } from "../../support/is-record.ts";
import { attributesIn } from "../accessed-attributes.ts";
import { isEmpty } from "./attribute-values.ts";
import { updateOf } from "./expressions.ts";
import { InvalidRequest, UnsupportedRequest } from "./refusals.ts";
import { type Index, keyNames, type Table } from "./tables.ts";

type Request = Record<string, unknown>;

/**
 * Refuses what DynamoDB refuses because of an index, and the engine does not.
 *
 * @param describe finds a table of the request
 * @throws {InvalidRequest} if DynamoDB refuses the request
 * @throws {UnsupportedRequest} if the engine would not answer it as DynamoDB does
 */
export const checkIndexRules = async (
  operation: string,
  request: Request,
  describe: (tableName: string) => Promise<Table | undefined>,
): Promise<void> => {
  const { TableName, IndexName, RequestItems } = request;
  if (operation === "BatchWriteItem" && isRecord(RequestItems)) {
    for (const [tableName, writes] of Object.entries(RequestItems)) {
      const table = await describe(tableName);
      if (table) for (const item of putItems(writes)) checkItemKeys(item, table);
    }
    return;
  }
  const isWrite = operation === "PutItem" || operation === "UpdateItem";
  if (typeof TableName !== "string" || !(isWrite || typeof IndexName === "string")) return;
  const table = await describe(TableName);
  if (table === undefined) return;
  if (operation === "PutItem") checkItemKeys(request.Item, table);
  else if (operation === "UpdateItem") checkUpdatedKeys(request, table);
  else checkProjected(request, table);
};

const putItems = (writes: unknown): unknown[] =>
  (Array.isArray(writes) ? writes : [])
    .filter(isRecord)
    .flatMap(({ PutRequest: put }) => (isRecord(put) ? [put.Item] : []));

const indexesOf = ({ GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] }: Table): Index[] => [
  ...GlobalSecondaryIndexes,
  ...LocalSecondaryIndexes,
];

const checkItemKeys = (item: unknown, table: Table): void => {
  if (!isRecord(item)) return;
  for (const index of indexesOf(table)) {
    const empty = keyNames(index).find((name) => isEmpty(item[name]));
    if (empty === undefined) continue;
    throw new InvalidRequest(
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The " +
        `AttributeValue for a key attribute cannot contain an empty value. IndexName: ${index.IndexName}, IndexKey: ${empty}`,
    );
  }
};

const checkUpdatedKeys = (request: Request, table: Table): void => {
  const keys = new Set(indexesOf(table).flatMap(keyNames));
  if (keys.size === 0) return;
  const { UpdateExpression, ExpressionAttributeNames: names, ExpressionAttributeValues: values } = request;
  const { set, changed, values: given } = updateOf(String(UpdateExpression));
  const nameOf = (name: string) => String(isRecord(names) ? (names[name] ?? name) : name);
  for (const attribute of [...set, ...changed].filter((name) => keys.has(nameOf(name)))) {
    const value = given[attribute];
    if (value === undefined) {
      throw new UnsupportedRequest(
        `a change of ${nameOf(attribute)}, which is the key of an index, to anything but a value`,
      );
    }
    if (isRecord(values) && isEmpty(values[value])) {
      throw new UnsupportedRequest(`an empty value for ${nameOf(attribute)}, which is the key of an index`);
    }
  }
};

const checkProjected = ({ IndexName, ...request }: Request, table: Table): void => {
  const index = indexesOf(table).find((one) => one.IndexName === IndexName);
  if (index === undefined || index.Projection.ProjectionType === "ALL") return;
  const { NonKeyAttributes = [] } = index.Projection;
  const projected = new Set([...keyNames(table), ...keyNames(index), ...NonKeyAttributes]);
  const names = isRecord(request.ExpressionAttributeNames) ? request.ExpressionAttributeNames : {};
  const named = ["ProjectionExpression", "FilterExpression"].flatMap((expression) => [
    ...attributesIn(String(request[expression] ?? ""), names),
  ]);
  const missing = named.find((name) => !projected.has(name));
  if (missing === undefined) return;
  if (table.LocalSecondaryIndexes?.includes(index)) {
    throw new UnsupportedRequest(`${missing}, which the local secondary index ${IndexName} does not project`);
  }
  throw new InvalidRequest(
    `One or more parameter values were invalid: Global secondary index ${IndexName} does not project [${missing}]`,
  );
};
