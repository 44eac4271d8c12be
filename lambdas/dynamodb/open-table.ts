import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { flatCodec } from "./attributes.ts";
import { changesOn } from "./change-feed.ts";
import { selection } from "./change-history.ts";
import { changeRecord } from "./changes.ts";
import { withDeadline } from "./client/deadline.ts";
import { followsLostAttempt, noteLostAttempts } from "./client/lost-attempts.ts";
import { idPositions, readPage } from "./read-page.ts";
import {
  type Item,
  invalidResponse,
  readAttribute,
  recordReader,
  toItem,
  toPlaceholders,
  type Values,
} from "./records.ts";
import {
  type AnyTable,
  fieldsOf,
  fixedFieldsOf,
  keyNamesOf,
  type PageRequest,
  type StoreOf,
  type Table,
  type Update,
  type Updated,
  type UpdateInput,
} from "./table.ts";
import { leavingOutUnreadable } from "./unreadable-items.ts";

interface Place {
  client: DynamoDBClient;
  /** The name of the table in DynamoDB. */
  tableName: string;
}

/** Opens the store of a declared table with all of its operations, on the DynamoDB table with that name. */
export const openStore = <Declaration extends AnyTable>(
  declaration: Declaration,
  place: Place,
): StoreOf<Declaration> => {
  const table = openTable(declaration, place);
  const changes = declaration.changes && { changes: changesOn(table, declaration) };
  return { ...declaration.createStore(table), ...changes } as StoreOf<Declaration>;
};

/** Implements the operations on a table as calls of the AWS SDK. Nothing else in the service calls DynamoDB. */
export const openTable = (declaration: AnyTable, { client, tableName: TableName }: Place): Table<object> => {
  const { partitionKey, schema, codec = flatCodec, timeOfChange } = declaration;
  const strictly = declaration.reads === "strictly";
  const read = recordReader<object>(schema, { strictly, key: partitionKey, codec });
  const readUnlessDeleted = (item: Item) => (isDeleted(item, declaration) ? undefined : read(item));
  const keyOf = (key: object): Item => toItem(key as Values, schema, codec);
  const placeholders = (values: Values) => toPlaceholders(toItem(values, schema, codec));
  const onPage = leavingOutUnreadable(declaration, TableName);
  noteLostAttempts(client);

  const getItem = async (key: object): Promise<Item | undefined> => {
    const command = new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: true });
    const { Item } = await withDeadline(() => client.send(command));
    return Item;
  };

  const scan = <T>(
    { unreadable, positions = idPositions(partitionKey), ...request }: PageRequest,
    readItem: (item: Item) => T | undefined,
    selected?: ReturnType<typeof selection>,
  ) => {
    const input = {
      TableName,
      ConsistentRead: true,
      ...selected,
      ...(request.prefix !== undefined && {
        FilterExpression: `begins_with(#${partitionKey}, :prefix)`,
        ExpressionAttributeValues: placeholders({ prefix: request.prefix }),
      }),
    };
    const names = namesIn(selected?.ProjectionExpression, input.FilterExpression);
    const reader = {
      readStep: (step: object) => client.send(new ScanCommand({ ...input, ...names, ...step })),
      read: onPage(readItem, unreadable),
      positions,
    };
    return withDeadline(() => readPage(reader, request));
  };

  const updateInput = (key: object, { expression, condition, values }: Update): UpdateInput => ({
    TableName,
    Key: keyOf(key),
    UpdateExpression: expression,
    ...(condition !== undefined && { ConditionExpression: condition }),
    ...namesIn(expression, condition),
    ExpressionAttributeValues: placeholders(values),
  });

  const update = async (key: object, { returns, returnsItemIfRefused, ...change }: Update): Promise<Updated> => {
    const command = new UpdateItemCommand({
      ...updateInput(key, change),
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

  const changed = {
    read: readUnlessDeleted,
    toItem: (values: Values) => toItem(values, schema, codec),
    isSame: codec.isSame,
    get timeOfChange() {
      if (timeOfChange === undefined) throw new Error(`The table ${TableName} does not declare a timeOfChange.`);
      return timeOfChange;
    },
  };

  return {
    tableName: TableName,
    changed,
    updateInput,
    read,
    readUnlessDeleted,

    getItem,

    async get(key) {
      const item = await getItem(key);
      return item && readUnlessDeleted(item);
    },

    update: (key, change) => withDeadline(() => update(key, change), change.milliseconds),

    change(key, change) {
      const changer = { ...changed, update: (attempt: Update) => update(key, attempt), getItem: () => getItem(key) };
      return withDeadline(() => changeRecord(changer, change));
    },

    page: (request) => scan(request, readUnlessDeleted, fieldSelection(declaration)),

    pageOf: (request, map) =>
      scan(request, (item) => {
        const record = readUnlessDeleted(item);
        return record && map(record, item);
      }),

    query: (input) => {
      const names = namesIn(input.KeyConditionExpression, input.ProjectionExpression);
      return client.send(new QueryCommand({ TableName, ...names, ...input }));
    },
    scan: (input) => client.send(new ScanCommand({ TableName, ...input })),
    readOnPage: onPage(readUnlessDeleted),
  };
};

/** Limits a page to the fields of its records, because the histories would be a large part of it. */
const fieldSelection = (declaration: AnyTable): ReturnType<typeof selection> | undefined => {
  const { hasHistory, hasOtherFields, deletionMark } = declaration;
  if (!hasHistory && !hasOtherFields) return undefined;
  return selection([...Object.keys(fieldsOf(declaration)), ...(deletionMark === undefined ? [] : [deletionMark])]);
};

/** Returns the attribute names for expressions. They refer to attributes as `#name`, because DynamoDB reserves many words. */
const namesIn = (...expressions: (string | undefined)[]): { ExpressionAttributeNames?: Record<string, string> } => {
  const names = expressions.flatMap((expression) => expression?.match(/#\w+/g) ?? []);
  return names.length === 0
    ? {}
    : { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])) };
};

/** Checks whether an item is the tombstone of a deleted record: it has the mark, its key, its time and fixed fields, but no others. */
const isDeleted = (item: Item, declaration: AnyTable): boolean => {
  const { deletionMark, timeOfChange, codec = flatCodec } = declaration;
  if (deletionMark === undefined || item[deletionMark] === undefined) return false;
  const keyNames = keyNamesOf(declaration);
  const fixedFields = fixedFieldsOf(declaration);
  for (const [name, schema] of Object.entries(fieldsOf(declaration))) {
    if (fixedFields.includes(name)) continue;
    if (name === timeOfChange) readAttribute(item, name, schema);
    else if (keyNames.includes(name)) {
      if (codec.of(schema).decode(item[name] ?? { NULL: true }) === undefined)
        throw invalidResponse(`The item has no ${name}.`);
    } else if (item[name] !== undefined) throw invalidResponse(`The item has both a ${deletionMark} and a ${name}.`);
  }
  if (!item[deletionMark].S) throw invalidResponse(`The item's ${deletionMark} is not a string.`);
  return true;
};
