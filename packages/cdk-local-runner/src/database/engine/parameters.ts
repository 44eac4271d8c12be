import { definitionsSchema } from "../../support/table-schema.ts";
import * as z from "../../support/zod.ts";
import { assertValid, invalid, malformed, UnsupportedRequest } from "./errors.ts";
import { parseCondition, parseProjection, parseUpdate } from "./parse-expression.ts";
import { read } from "./placeholders.ts";
import { indexSchema, nameChecks, tableSchema } from "./tables.ts";
import { checkName, readItem } from "./values.ts";

const item = z.pipe(z.unknown().check(z.refine((value) => value !== undefined, "is missing")), z.transform(readItem));
const flag = z.optional(z.boolean());
const count = z.optional(z.int().check(z.minimum(1)));

const expression = <Parsed>(parameter: string, parse: (text: string) => Parsed) =>
  z.pipe(
    z.string(),
    z.transform((text) => read(parameter, () => parse(text))),
  );

const tableName = z.string().check(
  z.refine((name) => {
    if (name.startsWith("arn:")) throw new UnsupportedRequest("the ARN of a table in place of its name");
    return true;
  }),
  z.minLength(1),
  ...nameChecks,
);

const names = {
  ExpressionAttributeNames: z.optional(
    z.record(
      z.string(),
      z.string().check(
        z.refine((name) => {
          checkName(name);
          return true;
        }),
      ),
    ),
  ),
};
const placeholders = { ...names, ExpressionAttributeValues: z.optional(item) };
const projection = { ...names, ProjectionExpression: z.optional(expression("ProjectionExpression", parseProjection)) };
const old = z.optional(z.enum(["NONE", "ALL_OLD"]));
const condition = {
  ...placeholders,
  ConditionExpression: z.optional(expression("ConditionExpression", parseCondition)),
};
const page = {
  ...placeholders,
  ...projection,
  TableName: tableName,
  IndexName: z.optional(z.string()),
  Limit: count,
  ConsistentRead: flag,
  ExclusiveStartKey: z.optional(item),
  FilterExpression: z.optional(expression("FilterExpression", parseCondition)),
  Select: z.optional(z.literal("SPECIFIC_ATTRIBUTES")),
};
const writeRequest = z.strictObject({
  PutRequest: z.optional(z.strictObject({ Item: item })),
  DeleteRequest: z.optional(z.strictObject({ Key: item })),
});
const failing = { ...condition, ReturnValuesOnConditionCheckFailure: old };
const update = expression("UpdateExpression", parseUpdate);
const transacted = z
  .strictObject({
    Put: z.optional(z.strictObject({ TableName: tableName, Item: item, ...failing })),
    Update: z.optional(z.strictObject({ TableName: tableName, Key: item, UpdateExpression: update, ...failing })),
    Delete: z.optional(z.strictObject({ TableName: tableName, Key: item, ...failing })),
    ConditionCheck: z.optional(
      z.strictObject({
        ...{ TableName: tableName, Key: item, ...failing },
        ConditionExpression: expression("ConditionExpression", parseCondition),
      }),
    ),
  })
  .check(
    z.refine((actions) => {
      const isSingle = Object.keys(actions).length === 1;
      assertValid(isSingle, "TransactItems can only contain one of Check, Put, Update or Delete");
      return isSingle;
    }),
  );
const indexUpdate = z.strictObject({
  Create: z.optional(indexSchema),
  Delete: z.optional(z.strictObject({ IndexName: z.string() })),
});

/**
 * The supported subset of DynamoDB: its operations with the parameters of each. The README lists the subset, and describes what
 * expressions may contain.
 */
export const schemas = {
  GetItem: z.strictObject({ TableName: tableName, Key: item, ConsistentRead: flag, ...projection }),
  PutItem: z.strictObject({
    TableName: tableName,
    Item: item,
    ...failing,
    ReturnValues: old,
  }),
  UpdateItem: z.strictObject({
    TableName: tableName,
    Key: item,
    UpdateExpression: z.optional(update),
    ...failing,
    ReturnValues: z.optional(z.enum(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])),
  }),
  DeleteItem: z.strictObject({
    TableName: tableName,
    Key: item,
    ...failing,
    ReturnValues: old,
  }),
  Query: z.strictObject({
    ...page,
    KeyConditionExpression: expression("KeyConditionExpression", parseCondition),
    ScanIndexForward: flag,
  }),
  Scan: z.strictObject({
    ...page,
    Segment: z.optional(z.int().check(z.minimum(0))),
    TotalSegments: z.optional(z.int().check(z.minimum(1), z.maximum(1_000_000))),
  }),
  BatchWriteItem: z.strictObject({
    RequestItems: z.record(tableName, z.array(writeRequest).check(z.minLength(1), z.maxLength(25))),
  }),
  TransactWriteItems: z.strictObject({
    TransactItems: z.array(transacted).check(z.minLength(1), z.maxLength(100)),
    ClientRequestToken: z.optional(z.string().check(z.minLength(1), z.maxLength(36))),
  }),
  ListTables: z.strictObject({}),
  DescribeTable: z.strictObject({ TableName: tableName }),
  CreateTable: tableSchema,
  UpdateTable: z.strictObject({
    TableName: tableName,
    AttributeDefinitions: z.optional(definitionsSchema),
    GlobalSecondaryIndexUpdates: z.array(indexUpdate).check(z.minLength(1), z.maxLength(1)),
  }),
  DeleteTable: z.strictObject({ TableName: tableName }),
};

type Operation = keyof typeof schemas;
export type Parameters = { [Name in Operation]: z.output<(typeof schemas)[Name]> };

export const isOperation = (name: string): name is Operation => Object.hasOwn(schemas, name);

/** What the subset doesn't support of parameters for which DynamoDB accepts more values. */
const narrower: Readonly<Record<string, string>> = {
  BillingMode: "BillingMode other than PAY_PER_REQUEST",
  GlobalSecondaryIndexUpdates:
    "GlobalSecondaryIndexUpdates other than one Create with IndexName, KeySchema and Projection, or one Delete",
  Select: "Select other than SPECIFIC_ATTRIBUTES",
};

/** Parses the parameters of a request. */
export const readParameters = <Schema extends z.core.$ZodType>(schema: Schema, body: object): z.output<Schema> => {
  // DynamoDB treats null as an absent parameter.
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  throw issue ? errorOf(issue, given) : invalid("");
};

const errorOf = (issue: z.core.$ZodIssue, given: Record<string, unknown>): Error => {
  const [parameter = ""] = issue.path.map(String);
  const place = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    return new UnsupportedRequest([...issue.path, ...issue.keys.slice(0, 1)].join("."));
  }
  const unsupported = narrower[parameter];
  if (unsupported) return new UnsupportedRequest(unsupported);
  const value = issue.path.reduce<unknown>((whole, part) => Object(whole)[part], given);
  if (place === "KeyConditionExpression" && value === undefined) return new UnsupportedRequest(`no ${place}`);
  if (issue.code === "invalid_type" && value !== undefined) return malformed(`${place}: ${issue.message}`);
  return invalid(`One or more parameter values were invalid: ${place} ${issue.message}`);
};
