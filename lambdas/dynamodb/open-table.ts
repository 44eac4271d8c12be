import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { changeIndex } from "./change-history.ts";
import { changeRecord } from "./changes.ts";
import { withDeadline } from "./client/deadline.ts";
import { followsLostAttempt, noteLostAttempts } from "./client/lost-attempts.ts";
import { type Item, invalidResponse, readAttribute, recordReader, toItem, type Values } from "./records.ts";
import { scanPage } from "./scan-page.ts";
import {
  type AnyTable,
  keyNamesOf,
  type PageRequest,
  type StoreOf,
  type Table,
  type Update,
  type Updated,
} from "./table.ts";

interface Place {
  client: DynamoDBClient;
  /** The name of the table in DynamoDB. */
  tableName: string;
}

/** Opens the store of a declared table, on the DynamoDB table with that name. */
export const openStore = <Declaration extends AnyTable>(declaration: Declaration, place: Place): StoreOf<Declaration> =>
  declaration.createStore(openTable(declaration, place)) as StoreOf<Declaration>;

/** Implements the operations on a table as calls of the AWS SDK. Nothing else in the service calls DynamoDB. */
const openTable = (declaration: AnyTable, { client, tableName: TableName }: Place): Table<object> => {
  const { partitionKey, sortKey, fields, timeOfChange, index } = declaration;
  const read = recordReader<object>(fields, partitionKey);
  const readUnlessDeleted = (item: Item) => (isDeleted(item, declaration) ? undefined : read(item));
  const keyOf = (key: object): Item => toItem(key as Values);
  noteLostAttempts(client);

  const getItem = async (key: object): Promise<Item | undefined> => {
    const command = new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: true });
    const { Item } = await withDeadline(() => client.send(command));
    return Item;
  };

  const scan = <T>(request: PageRequest, readItem: (item: Item) => T | undefined, projection?: string) =>
    withDeadline(() =>
      scanPage(
        {
          scan: (step) =>
            client.send(
              new ScanCommand({
                TableName,
                ConsistentRead: true,
                ...(projection !== undefined && { ProjectionExpression: projection, Select: "SPECIFIC_ATTRIBUTES" }),
                ...step,
                ...namesIn(projection, step.FilterExpression),
              }),
            ),
          read: readItem,
          partitionKey,
        },
        request,
      ),
    );

  const update = async (
    key: object,
    { expression, condition, values, returns, returnsItemIfRefused }: Update,
  ): Promise<Updated> => {
    const command = new UpdateItemCommand({
      TableName,
      Key: keyOf(key),
      UpdateExpression: expression,
      ...(condition !== undefined && { ConditionExpression: condition }),
      ...namesIn(expression, condition),
      ExpressionAttributeValues: placeholders(values),
      ...(returns && { ReturnValues: returns }),
      ...(returnsItemIfRefused && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
    });
    try {
      const { Attributes = {} } = await client.send(command);
      return { applied: true, attributes: Attributes };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { applied: false, item: error.Item, isRepeated: followsLostAttempt(error) };
    }
  };

  return {
    read,
    readUnlessDeleted,

    getItem,

    async get(key) {
      const item = await getItem(key);
      return item && readUnlessDeleted(item);
    },

    update: (key, change) => withDeadline(() => update(key, change), change.milliseconds),

    change(key, change) {
      if (timeOfChange === undefined) throw new Error(`The table ${TableName} does not declare a timeOfChange.`);
      const changer = {
        update: (attempt: Update) => update(key, attempt),
        read: readUnlessDeleted,
        timeOfChange,
      };
      return withDeadline(() => changeRecord(changer, change));
    },

    page({ unreadable, ...request }) {
      const readItem = unreadable ? readable(readUnlessDeleted, unreadable) : readUnlessDeleted;
      return scan(request, readItem, fieldProjection(declaration));
    },

    pageOf: (request, map) =>
      scan(request, (item) => {
        const record = readUnlessDeleted(item);
        return record && map(record, item);
      }),

    async changed({ shard, since, limit, after }) {
      const { name: IndexName, partitionKey: shardName } = changeIndex;
      const command = new QueryCommand({
        TableName,
        IndexName,
        ...keyCondition(`#${shardName} = :shard${since === undefined ? "" : ` AND #${timeOfChange} >= :since`}`),
        ExpressionAttributeValues: placeholders({ shard, since }),
        ScanIndexForward: false,
        Limit: limit,
        ...(after && { ExclusiveStartKey: after }),
      });
      const { Items: items = [], LastEvaluatedKey: next } = await withDeadline(() => client.send(command));
      return { items, next };
    },

    async hasAfter(partition, sortKey) {
      if (!index) throw new Error(`The table ${TableName} does not declare an index.`);
      const command = new QueryCommand({
        TableName,
        IndexName: index.name,
        ...keyCondition(`#${index.partitionKey} = :partition AND #${index.sortKey} > :after`),
        ExpressionAttributeValues: placeholders({ partition, after: sortKey }),
        Limit: 1,
      });
      const { Items: items = [] } = await withDeadline(() => client.send(command));
      return items.length > 0;
    },

    async query(partition, fromSortKey) {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          ...keyCondition(`#${partitionKey} = :partition AND #${sortKey} >= :from`),
          ExpressionAttributeValues: placeholders({ partition, from: fromSortKey }),
        },
      );
      const readAll = async () => {
        const items: Item[] = [];
        for await (const { Items = [] } of pages) items.push(...Items);
        return items;
      };
      return withDeadline(readAll);
    },
  };
};

/** Limits a page to the fields of its records, because the histories would be a large part of it. */
const fieldProjection = ({ hasHistory, hasOtherFields, fields, deletionMark }: AnyTable): string | undefined => {
  if (!hasHistory && !hasOtherFields) return undefined;
  const names = [...Object.keys(fields), ...(deletionMark === undefined ? [] : [deletionMark])];
  return names.map((name) => `#${name}`).join(", ");
};

const keyCondition = (expression: string) => ({ KeyConditionExpression: expression, ...namesIn(expression) });

/** Returns the attribute names for expressions. They refer to attributes as `#name`, because DynamoDB reserves many words. */
const namesIn = (...expressions: (string | undefined)[]): { ExpressionAttributeNames?: Record<string, string> } => {
  const names = expressions.flatMap((expression) => expression?.match(/#\w+/g) ?? []);
  return names.length === 0
    ? {}
    : { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])) };
};

/** Returns a function that reads an item, or reports that the item is unreadable. */
const readable =
  <R>(read: (item: Item) => R, unreadable: (error: unknown) => void) =>
  (item: Item): R | undefined => {
    try {
      return read(item);
    } catch (error) {
      unreadable(error);
      return undefined;
    }
  };

/** Checks whether an item is the tombstone of a deleted record: it has the mark, its key and its time, but no other field. */
const isDeleted = (item: Item, declaration: AnyTable): boolean => {
  const { deletionMark, timeOfChange, fields } = declaration;
  if (deletionMark === undefined || item[deletionMark] === undefined) return false;
  const kept = [...keyNamesOf(declaration), timeOfChange];
  for (const [name, format] of Object.entries(fields)) {
    if (kept.includes(name)) readAttribute(item, name, format);
    else if (item[name] !== undefined) throw invalidResponse(`The item has both a ${deletionMark} and a ${name}.`);
  }
  if (!item[deletionMark].S) throw invalidResponse(`The item's ${deletionMark} is not a text.`);
  return true;
};

/** Returns the values under the names that expressions use: `:name`. */
const placeholders = (values: Values): Item =>
  Object.fromEntries(Object.entries(toItem(values)).map(([name, value]) => [`:${name}`, value]));
