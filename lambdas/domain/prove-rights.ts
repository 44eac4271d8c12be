import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { flatCodec } from "../dynamodb/attributes.ts";
import { withDeadline } from "../dynamodb/client/deadline.ts";
import type { Item } from "../dynamodb/records.ts";
import { type AnyTable, type DynamoDBAction, fieldsOf, keyNamesOf, type Right } from "../dynamodb/table.ts";
import { rightsOn, type Tables, type Uses } from "../dynamodb/uses.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { connect, findTable } from "./create-stores.ts";

/** The event with which the version check asks a function for a proof. API Gateway events do not have this field. */
export const proofRequest = { prove: "rights" } as const;

/** The response. It contains no data, no values of secrets, no table names and no AWS messages. */
export interface Proof {
  proven: boolean;
  /**
   * Rights that are missing or do not work, such as `keys UpdateItem: AccessDeniedException`, with the index after the action; and
   * secrets without a valid value.
   */
  failures: string[];
}

const isProofRequest = (event: unknown): boolean =>
  typeof event === "object" && event !== null && "prove" in event && event.prove === proofRequest.prove;

/**
 * Lets a handler also prove that its function can read and write its tables, with the environment, permissions and keys of the
 * deployment. The proof makes one call for each right that `uses` needs, and changes nothing.
 *
 * @param tables the declarations of the tables that `uses` names
 * @param otherFailures returns what else keeps the function from working
 */
export const provingRights =
  <Event, Context, Result>(
    handler: (event: Event, context: Context) => Promise<Result>,
    uses: Uses,
    tables: Partial<Tables>,
    otherFailures?: () => Promise<string[]>,
  ) =>
  (event: Event, context: Context): Promise<Result | Proof> =>
    isProofRequest(event) ? proveRights(uses, tables, otherFailures) : handler(event, context);

const proveRights = async (
  uses: Uses,
  tables: Partial<Tables>,
  otherFailures?: () => Promise<string[]>,
): Promise<Proof> => {
  const { client, keyNames } = connect();
  const calls = Object.entries(uses).flatMap(([store, operations]) => {
    const { table, tableName } = findTable(store, tables, keyNames);
    const rights = new Map(rightsOn(table, operations).map((right) => [JSON.stringify(right), detailed(right)]));
    return [...rights.values()].map(async (right) => {
      const problem = await problemOf(withDeadline(() => useRight(right, { client, table, tableName })));
      const { action, index = "" } = right;
      return problem === undefined ? [] : [`${store} ${action}${index && ` ${index}`}: ${problem}`];
    });
  });
  const failures = (await Promise.all([...calls, otherFailures?.() ?? []])).flat();
  return { proven: failures.length === 0, failures };
};

/** Returns the name of the error that a call fails with. */
const problemOf = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => {
      const cause = error instanceof ApiError ? error.cause : error;
      return cause instanceof Error ? cause.name : "unknown error";
    },
  );

interface DetailedRight {
  action: DynamoDBAction;
  attributes?: readonly string[];
  index?: string;
}

const detailed = (right: Right): DetailedRight => (typeof right === "string" ? { action: right } : right);

/** Returns key attributes. It does not matter whether an item with these values exists. */
const keyFor = (table: AnyTable, names: readonly string[]): Item => {
  const fields = fieldsOf(table);
  const codec = table.codec ?? flatCodec;
  const isNumber = (name: string) => fields[name] !== undefined && codec.of(fields[name]).keyType === "N";
  return Object.fromEntries(names.map((name) => [name, isNumber(name) ? { N: "0" } : { S: "version-check" }]));
};

interface Place {
  client: DynamoDBClient;
  table: AnyTable;
  tableName: string;
}

/** Returns the fields of a partition of a table or of one of its indexes. */
const partitionOf = (table: AnyTable, index: string | undefined): readonly string[] =>
  index === undefined ? [table.partitionKey] : (table.indexes?.[index]?.partition ?? []);

/** Makes a call that needs the right but changes nothing. */
const useRight = async (
  { action, attributes, index }: DetailedRight,
  { client, table, tableName: TableName }: Place,
): Promise<void> => {
  const keyNames = keyNamesOf(table);
  const Key = keyFor(table, keyNames);
  const partition = Object.entries(keyFor(table, partitionOf(table, index)));
  const names = attributes ?? keyNames;
  const projection = {
    ProjectionExpression: names.map((_, position) => `#n${position}`).join(),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, position) => [`#n${position}`, name])),
  };
  const reading = { Limit: 1, Select: "SPECIFIC_ATTRIBUTES", ...projection } as const;
  const calls: Record<DynamoDBAction, () => Promise<unknown>> = {
    GetItem: () => client.send(new GetItemCommand({ TableName, Key, ...projection })),
    Scan: () => client.send(new ScanCommand({ TableName, ...reading })),
    Query: () =>
      client.send(
        new QueryCommand({
          TableName,
          ...(index !== undefined && { IndexName: index }),
          ...reading,
          KeyConditionExpression: partition.map((_, place) => `#k${place} = :k${place}`).join(" AND "),
          ExpressionAttributeNames: {
            ...projection.ExpressionAttributeNames,
            ...Object.fromEntries(partition.map(([name], place) => [`#k${place}`, name])),
          },
          ExpressionAttributeValues: Object.fromEntries(partition.map(([, value], place) => [`:k${place}`, value])),
        }),
      ),
    UpdateItem: () =>
      client
        .send(
          new UpdateItemCommand({
            TableName,
            Key,
            UpdateExpression: "REMOVE #attribute",
            // This condition never holds. DynamoDB checks permissions and the key first.
            ConditionExpression: "attribute_exists(#key) AND attribute_not_exists(#key)",
            ExpressionAttributeNames: {
              "#attribute": attributes?.find((name) => !keyNames.includes(name)) ?? "version_check",
              "#key": table.partitionKey,
            },
          }),
        )
        .then(
          () => Promise.reject(new Error("A change was made.")),
          (error: unknown) => error instanceof ConditionalCheckFailedException || Promise.reject(error),
        ),
  };
  await calls[action]();
};
