import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { withDeadline } from "./deadline.ts";
import { type Item, invalidResponse, recordReader, toItem, type Values } from "./records.ts";
import type { AnyTable, StoreOf, Table } from "./table.ts";

interface Place {
  client: DynamoDBClient;
  /** The name of the table in DynamoDB. */
  tableName: string;
}

/** The store of a declared table, on the table of that name. */
export const openStore = <Declaration extends AnyTable>(declaration: Declaration, place: Place): StoreOf<Declaration> =>
  declaration.createStore(openTable(declaration, place)) as StoreOf<Declaration>;

/** The operations on a table, as calls of the AWS SDK. Nothing else in the service calls DynamoDB. */
const openTable = (
  { partitionKey, sortKey, fields }: AnyTable,
  { client, tableName: TableName }: Place,
): Table<object> => {
  const read = recordReader<object>(fields);
  const keyOf = (key: object): Item => toItem(key as Values);

  return {
    read,

    async get(key) {
      const command = new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: true });
      const { Item } = await withDeadline(client.send(command));
      return Item && read(Item, key);
    },

    async put(record, attributes = {}) {
      const command = new PutItemCommand({ TableName, Item: toItem({ ...(record as Values), ...attributes }) });
      const { Attributes } = await withDeadline(client.send(command));
      if (Attributes) throw invalidResponse("A write that returns nothing was answered with attributes.");
    },

    async update(key, { expression, condition, values, returns, giveUpAfterMilliseconds }) {
      const command = new UpdateItemCommand({
        TableName,
        Key: keyOf(key),
        UpdateExpression: expression,
        ...(condition !== undefined && { ConditionExpression: condition }),
        ExpressionAttributeValues: placeholders(values),
        ...(returns && { ReturnValues: returns }),
      });
      const options =
        giveUpAfterMilliseconds === undefined ? {} : { abortSignal: AbortSignal.timeout(giveUpAfterMilliseconds) };
      try {
        const { Attributes } = await withDeadline(client.send(command, options));
        return { applied: true, attributes: Attributes };
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return { applied: false };
        throw error;
      }
    },

    async delete(key) {
      const command = new DeleteItemCommand({ TableName, Key: keyOf(key), ReturnValues: "ALL_OLD" });
      const { Attributes, $metadata } = await withDeadline(client.send(command));
      return { deleted: Attributes && read(Attributes, key), attempts: $metadata.attempts ?? 1 };
    },

    async page({ limit, after }) {
      // One item more than the page holds shows whether there is a next page. DynamoDB itself ends a page at 1 MB.
      const command = new ScanCommand({
        TableName,
        Limit: limit + 1,
        ConsistentRead: true,
        ...(after !== undefined && { ExclusiveStartKey: { [partitionKey]: { S: after } } }),
      });
      const { Items, LastEvaluatedKey } = await withDeadline(client.send(command));
      if (!Array.isArray(Items)) throw invalidResponse("The page is not a list of items.");
      const records = Items.slice(0, limit).map((item) => read(item));
      const last = Items.length > limit ? Items[limit - 1] : LastEvaluatedKey;
      const next = last?.[partitionKey]?.S;
      return next === undefined ? { records } : { records, next };
    },

    async query(partition, fromSortKey) {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          KeyConditionExpression: `${partitionKey} = :partition AND ${sortKey} >= :from`,
          ExpressionAttributeValues: placeholders({ partition, from: fromSortKey }),
        },
      );
      const readAll = async () => {
        const items: Item[] = [];
        for await (const { Items = [] } of pages) items.push(...Items);
        return items;
      };
      return withDeadline(readAll());
    },
  };
};

/** Values as an expression refers to them: `:name`. */
const placeholders = (values: Values): Item =>
  Object.fromEntries(Object.entries(toItem(values)).map(([name, value]) => [`:${name}`, value]));
