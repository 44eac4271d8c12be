import { crc32 } from "node:zlib";
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { isAllowed, type Rights } from "../../src/assembly/rights.ts";
import type { LocalError } from "../../src/support/local-error.ts";
import { tableResource } from "../support/assemblies.ts";
import { sharedService, writeFunctions } from "../support/services.ts";

const code = `
const sdk = require("@aws-sdk/client-dynamodb");
const database = new sdk.DynamoDBClient({ maxAttempts: 1 });
exports.handler = async ({ command, input }) => {
  await database.send(new sdk[command]({ TableName: process.env.TABLE, ...input }));
};`;

const arn = { "Fn::GetAtt": ["Keys", "Arn"] };
const index = { "Fn::Join": ["", [arn, "/index/*"]] };
const onAttributes = (attributes: string | string[]) => ({
  "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes },
});

/** The statements of each function's role. */
const statements = {
  writer: [{ Effect: "Allow", Action: ["dynamodb:Put*", "dynamodb:Query"], Resource: [arn, index] }],
  reader: [{ Effect: "Allow", Action: "dynamodb:Query", Resource: arn }],
  batcher: [{ Effect: "Allow", Action: "dynamodb:BatchWriteItem", Resource: arn }],
  toucher: [
    { Effect: "Allow", Action: "dynamodb:UpdateItem", Resource: arn, Condition: onAttributes(["id", "used_at"]) },
  ],
  transactor: [
    { Effect: "Allow", Action: "dynamodb:ConditionCheckItem", Resource: arn },
    { Effect: "Allow", Action: "dynamodb:UpdateItem", Resource: arn, Condition: onAttributes(["id", "used_at"]) },
  ],
  both: [
    { Effect: "Allow", Action: "dynamodb:PutItem", Resource: arn, Condition: onAttributes("id") },
    { Effect: "Allow", Action: "dynamodb:Put*", Resource: arn },
  ],
};

const failures: LocalError[] = [];
const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });

const service = sharedService(async (directory) => {
  const properties = { Environment: { Variables: { TABLE: { Ref: "Keys" } } }, Timeout: 10 };
  const functions = Object.entries(statements).map(([name, statements]) => [name, { code, properties, statements }]);
  const table = tableResource({
    AttributeDefinitions: ["id", "ip", "used_at"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    GlobalSecondaryIndexes: [
      {
        IndexName: "byIp",
        KeySchema: [key("ip", "HASH")],
        Projection: { ProjectionType: "ALL" },
      },
      {
        IndexName: "byAll",
        KeySchema: [...["ip", "id"].map((name) => key(name, "HASH")), key("used_at", "RANGE")],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  });
  return {
    onFailure: (failure) => void failures.push(failure),
    assembly: await writeFunctions(directory, Object.fromEntries(functions), { Keys: table }),
  };
});

const run = async (functionName: keyof typeof statements, command: string, input: object = {}) => {
  const { failed, payload } = await service().invoke(functionName, { command, input });
  return failed ? JSON.parse(payload) : "done";
};
const usedBy = async (name: string) =>
  (await service().usedRights()).filter(({ functionName }) => functionName === name);

const refused = { errorType: "AccessDeniedException" };
const put = { Item: { id: { S: "a" }, ip: { S: "b" } } };
const query = {
  IndexName: "byIp",
  KeyConditionExpression: "ip = :ip",
  ExpressionAttributeValues: { ":ip": { S: "b" } },
};

test("lets a function do what its role allows on tables and indexes, and records each use", async () => {
  expect(await run("writer", "PutItemCommand", put)).toBe("done");
  expect(await run("writer", "PutItemCommand", put)).toBe("done");
  expect(await run("writer", "QueryCommand", query)).toBe("done");

  const table = "arn:aws:dynamodb:us-east-1:000000000000:table/Keys";
  expect(await usedBy("writer")).toEqual([
    { functionName: "writer", action: "dynamodb:PutItem", resource: table },
    { functionName: "writer", action: "dynamodb:Query", resource: `${table}/index/byIp` },
  ]);
});

test("rejects what the role does not allow with AWS's message, without recording it", async () => {
  const onTable = await run("reader", "PutItemCommand", put);
  const onIndex = await run("reader", "QueryCommand", query);

  expect(onTable).toMatchObject(refused);
  expect(onTable.errorMessage).toMatch(
    /^User: arn:aws:sts::000000000000:assumed-role\/reader\/reader is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/Keys$/,
  );
  expect(onIndex.errorMessage).toContain("table/Keys/index/byIp");
  expect(await usedBy("reader")).toEqual([]);
});

test("requires a separate permission for each table in a batch", async () => {
  const batch = (table: string) => ({ RequestItems: { [table]: [{ PutRequest: put }] } });

  expect(await run("batcher", "BatchWriteItemCommand", batch("Keys"))).toBe("done");
  expect(await run("batcher", "BatchWriteItemCommand", batch("Other"))).toMatchObject(refused);
});

test("requires, for each action of a transaction, permission for its operation, table and attributes", async () => {
  const Key = { id: { S: "transacted" } };
  const check = { ConditionCheck: { TableName: "Keys", Key, ConditionExpression: "attribute_not_exists(id)" } };
  const update = (attribute: string, TableName = "Keys") => {
    const ExpressionAttributeValues = { ":value": { S: "now" } };
    const UpdateExpression = `SET ${attribute} = :value`;
    return { Update: { TableName, Key: { id: { S: "a" } }, UpdateExpression, ExpressionAttributeValues } };
  };
  const transact = (...TransactItems: object[]) =>
    run("transactor", "TransactWriteItemsCommand", { TableName: undefined, TransactItems });

  expect(await transact(check, update("used_at"))).toBe("done");
  expect(await transact(check, update("ip"))).toMatchObject(refused);
  expect(await transact(check, update("used_at", "Others"))).toMatchObject(refused);
  const put = await transact(update("used_at"), { Put: { TableName: "Keys", Item: Key } });
  expect(put.errorMessage).toContain("is not authorized to perform: dynamodb:PutItem on resource:");
  expect((await usedBy("transactor")).map(({ action }) => action)).toEqual([
    "dynamodb:ConditionCheckItem",
    "dynamodb:UpdateItem",
  ]);
});

test("does not extend a permission for some attributes to others, whatever was allowed before", async () => {
  const update = (attribute: string, rest: object = {}) =>
    run("toucher", "UpdateItemCommand", {
      Key: { id: { S: "a" } },
      UpdateExpression: "SET #name = :value",
      ExpressionAttributeNames: { "#name": attribute },
      ExpressionAttributeValues: { ":value": { S: "now" } },
      ...rest,
    });

  expect(await update("used_at")).toBe("done");
  expect(await update("ip")).toMatchObject(refused);
  expect(await update("used_at", { ConditionExpression: "attribute_exists(ip)" })).toMatchObject(refused);
  expect(await update("used_at", { ReturnValues: "ALL_OLD" })).toMatchObject(refused);
  expect(await update("used_at", { ConditionExpression: "attribute_exists(used_at)" })).toBe("done");
  expect(await usedBy("toucher")).toMatchObject([{ action: "dynamodb:UpdateItem" }]);
});

test("lets a permission without a condition cover all attributes, even next to one with a condition", async () => {
  expect(await run("both", "PutItemCommand", put)).toBe("done");
});

/** Sends a request from outside the run unchanged, and returns the unchanged response. */
const post = async (operation: string, body: object | string) => {
  const response = await fetch(service().dynamodbUrl, {
    method: "POST",
    headers: {
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      authorization: "AWS4-HMAC-SHA256 Credential=mine/20261122/us-east-1/dynamodb/aws4_request, Signature=x",
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), checksum: response.headers.get("x-amz-crc32") };
};

test("allows everything if the access key belongs to no function", async () => {
  expect(JSON.parse((await post("ListTables", {})).text)).toEqual({ TableNames: ["Keys"] });
});

const update = { TableName: "Keys", Key: { id: { S: "a" } }, UpdateExpression: "REMOVE a" };

test.for([
  ["a response of the engine", "ListTables", {}, 200],
  ["an update without attributes to return", "UpdateItem", { ...update, ReturnValues: "UPDATED_OLD" }, 200],
  ["a refusal of the engine", "UpdateItem", { ...update, Key: {} }, 400],
  ["an invalid request", "DeleteItem", { ...update, ReturnValues: "ALL_NEW", UpdateExpression: null }, 400],
  ["an unsupported request", "TransactGetItems", {}, 400],
  ["malformed JSON", "GetItem", "{", 400],
] as const)("%s has the checksum of its body, as in DynamoDB", async ([, operation, body, status]) => {
  const response = await post(operation, body);
  expect(response).toMatchObject({ status, checksum: String(crc32(response.text)) });
});

test("reports unsupported requests from external tools and keeps running", async () => {
  const { status, text } = await post("DescribeTimeToLive", { TableName: "Keys" });
  expect(status).toBe(400);
  expect(JSON.parse(text)).toEqual({
    __type: "com.amazonaws.dynamodb.v20120810#NotSupportedLocally",
    message: expect.stringMatching(/^The embedded database does not support DescribeTimeToLive: see "DynamoDB" in/),
  });
  expect(failures).toEqual([]);
});

test("does not retry a function's unsupported request, but ends the run and names the request", async () => {
  const credentials = { accessKeyId: "both", secretAccessKey: "x" };
  const client = new DynamoDBClient({ endpoint: service().dynamodbUrl, region: "us-east-1", credentials });
  onTestFinished(() => client.destroy());
  const command = new PutItemCommand({ TableName: "Keys", ...put, ReturnConsumedCapacity: "TOTAL" });
  await expect(client.send(command)).rejects.toMatchObject({
    name: "NotSupportedLocally",
    $fault: "client",
    $metadata: { attempts: 1 },
  });

  await expect.poll(() => failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({
    name: "LocalError",
    message: expect.stringMatching(
      /^Function both sent the embedded database a request that it does not support: PutItem with ReturnConsumedCapacity\. Change/,
    ),
    option: "externalDatabase",
  });
});

test("lets an explicit deny override any permission", () => {
  const rights: Rights = [
    { effect: "Allow", actions: ["*"], resources: ["*"] },
    { effect: "Deny", actions: ["dynamodb:delete*"], resources: ["*:table/K?ys"] },
  ];
  expect(isAllowed(rights, "dynamodb:DeleteItem", "arn:table/Keys")).toBe(false);
  expect(isAllowed(rights, "dynamodb:DeleteItem", "arn:table/Other")).toBe(true);
  expect(isAllowed(rights, "dynamodb:PutItem", "arn:table/Keys")).toBe(true);
});
