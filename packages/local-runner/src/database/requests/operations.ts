import { isRecord } from "../../support/is-record.ts";
import { checkItem, checkName } from "./attribute-values.ts";
import { checkCondition, checkProjection, checkUpdate } from "./expressions.ts";
import { isNewIndex } from "./new-index.ts";
import { InvalidRequest, UnsupportedRequest } from "./refusals.ts";

/** A request, or a part of one, by the names of its parameters. */
export type Parameters = Record<string, unknown>;

/** Checks a parameter that is present. A value of a wrong type is left to the engine, which refuses it as DynamoDB does. */
export type CheckParameter = (value: unknown, request: Parameters, parameter: string) => void;

/** For parameters that the engine itself treats as DynamoDB does. */
const exact: CheckParameter = () => {};

const item: CheckParameter = (value) => checkItem(value);

const tableName: CheckParameter = (value) => {
  if (String(value).startsWith("arn:")) throw new UnsupportedRequest("the ARN of a table in place of its name");
};

const returnsOldOrNothing: CheckParameter = (value, _, parameter) => {
  if (value !== "NONE" && value !== "ALL_OLD") throw new InvalidRequest(`${parameter} can only be ALL_OLD or NONE`);
};

const count: CheckParameter = (value, { ProjectionExpression }, parameter) => {
  if (value !== "COUNT") throw new UnsupportedRequest(`${parameter} other than COUNT`);
  if (ProjectionExpression !== undefined) throw new UnsupportedRequest(`${parameter} with ProjectionExpression`);
};

const segment: CheckParameter = (_, { TotalSegments }) => {
  if (TotalSegments !== undefined) return;
  throw new InvalidRequest(
    "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
  );
};

// The engine divides a table by three hexadecimal digits. With more segments, its last one is the whole table.
const maximumSegments = 4_096;

const totalSegments: CheckParameter = (value, _, parameter) => {
  if (Number(value) > maximumSegments) throw new UnsupportedRequest(`${parameter} above ${maximumSegments}`);
};

const maximumWrites = 25;

const writes: CheckParameter = (value) => {
  const tables = isRecord(value) ? value : {};
  const requests = Object.values(tables).flatMap((list: unknown) => (Array.isArray(list) ? list : []));
  for (const table of Object.keys(tables)) tableName(table, {}, "RequestItems");
  for (const request of requests.filter(isRecord)) {
    if (Object.keys(request).length > 1) {
      throw new InvalidRequest(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
      );
    }
    checkParameters(request, {
      PutRequest: (put) => isRecord(put) && checkParameters(put, { Item: item }),
      DeleteRequest: (deletion) => isRecord(deletion) && checkParameters(deletion, { Key: item }),
    });
  }
  // The engine counts the writes to each table, and DynamoDB all of them.
  const isForSeveralTables = Object.keys(tables).length > 1;
  if (isForSeveralTables && requests.length > maximumWrites) {
    throw new InvalidRequest("Too many items requested for the BatchWriteItem call");
  }
};

const reads: CheckParameter = (value) => {
  for (const [table, request] of Object.entries(isRecord(value) ? value : {})) {
    tableName(table, {}, "RequestItems");
    if (isRecord(request)) checkParameters(request, { Keys: items, ConsistentRead: exact });
  }
};

const items: CheckParameter = (value) => {
  if (Array.isArray(value)) for (const key of value) checkItem(key);
};

const maximumKeyNameLength = 255;

const keyDefinitions: CheckParameter = (value) => {
  for (const definition of Array.isArray(value) ? value : []) {
    const name: unknown = isRecord(definition) ? definition.AttributeName : undefined;
    if (typeof name !== "string" || Buffer.byteLength(name) <= maximumKeyNameLength) continue;
    throw new InvalidRequest(
      `1 validation error detected: Value '${name}' at 'attributeDefinitions' failed to satisfy constraint: Member must have length less than or equal to 255`,
    );
  }
};

const oneNewIndex: CheckParameter = (value, _, parameter) => {
  const [update, ...others] = Array.isArray(value) ? value : [];
  if (!isNewIndex(update) || others.length > 0) {
    throw new UnsupportedRequest(`${parameter} other than one Create with IndexName, KeySchema and Projection`);
  }
};

const attributeNames: CheckParameter = (value) => {
  for (const name of Object.values(isRecord(value) ? value : {})) if (typeof name === "string") checkName(name);
};

const values = { ExpressionAttributeNames: attributeNames, ExpressionAttributeValues: item };
const projection = { ExpressionAttributeNames: attributeNames, ProjectionExpression: checkProjection };
const condition = { ...values, ConditionExpression: checkCondition };
const page = {
  ...values,
  ...projection,
  TableName: tableName,
  IndexName: exact,
  Limit: exact,
  ConsistentRead: exact,
  ExclusiveStartKey: item,
  FilterExpression: checkCondition,
  Select: count,
};

/**
 * The supported subset of DynamoDB: its operations, and the parameters of each. The README lists it, and says what the
 * expressions may contain.
 */
export const operations: Record<string, Record<string, CheckParameter>> = {
  GetItem: { TableName: tableName, Key: item, ConsistentRead: exact, ...projection },
  PutItem: {
    TableName: tableName,
    Item: item,
    ...condition,
    ReturnValues: returnsOldOrNothing,
    ReturnValuesOnConditionCheckFailure: returnsOldOrNothing,
  },
  UpdateItem: {
    TableName: tableName,
    Key: item,
    UpdateExpression: checkUpdate,
    ...condition,
    ReturnValues: exact,
    ReturnValuesOnConditionCheckFailure: returnsOldOrNothing,
  },
  DeleteItem: {
    TableName: tableName,
    Key: item,
    ...condition,
    ReturnValues: returnsOldOrNothing,
    ReturnValuesOnConditionCheckFailure: returnsOldOrNothing,
  },
  Query: { ...page, KeyConditionExpression: checkCondition, ScanIndexForward: exact },
  Scan: { ...page, Segment: segment, TotalSegments: totalSegments },
  BatchGetItem: { RequestItems: reads },
  BatchWriteItem: { RequestItems: writes },
  ListTables: { Limit: exact, ExclusiveStartTableName: exact },
  DescribeTable: { TableName: tableName },
  CreateTable: {
    TableName: tableName,
    AttributeDefinitions: keyDefinitions,
    KeySchema: exact,
    BillingMode: exact,
    ProvisionedThroughput: exact,
    GlobalSecondaryIndexes: exact,
    LocalSecondaryIndexes: exact,
  },
  UpdateTable: { TableName: tableName, AttributeDefinitions: keyDefinitions, GlobalSecondaryIndexUpdates: oneNewIndex },
  DeleteTable: { TableName: tableName },
};

/** Parameters that the subset requires, although they are optional in DynamoDB. */
const required: Record<string, string> = {
  UpdateItem: "UpdateExpression",
  UpdateTable: "GlobalSecondaryIndexUpdates",
  Query: "KeyConditionExpression",
};

/** Checks a whole request. */
export const checkOperation = (operation: string, request: Parameters): void => {
  const parameters = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (parameters === undefined) throw new UnsupportedRequest("");
  const missing = required[operation];
  if (missing !== undefined && request[missing] == null) throw new UnsupportedRequest(`no ${missing}`);
  checkParameters(request, parameters);
};

const checkParameters = (request: Parameters, checks: Record<string, CheckParameter>): void => {
  for (const [parameter, value] of Object.entries(request)) {
    // DynamoDB takes null for an absent parameter.
    if (value === null) continue;
    const check = Object.hasOwn(checks, parameter) ? checks[parameter] : undefined;
    if (check === undefined) throw new UnsupportedRequest(parameter);
    check(value, request, parameter);
  }
};
