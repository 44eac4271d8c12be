import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { isAllowed } from "../../src/database/access-control.ts";
import { functionResources, runningService, tableResource, temporaryDirectory, writeAssembly } from "../fixtures.ts";

const code = `
const sdk = require("@aws-sdk/client-dynamodb");
const database = new sdk.DynamoDBClient({ maxAttempts: 1 });
exports.handler = async ({ command, input }) => {
  await database.send(new sdk[command]({ TableName: process.env.TABLE, ...input }));
};`;

const arn = { "Fn::GetAtt": ["Keys", "Arn"] };
const index = { "Fn::Join": ["", [arn, "/index/*"]] };

async function serviceWith(statements: object[]) {
  const properties = { Environment: { Variables: { TABLE: { Ref: "Keys" } } }, Timeout: 10 };
  const assembly = await writeAssembly(await temporaryDirectory(), {
    resources: {
      ...functionResources("writer", { properties, statements }),
      Keys: tableResource({
        AttributeDefinitions: ["id", "ip"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
        GlobalSecondaryIndexes: [
          {
            IndexName: "byIp",
            KeySchema: [{ AttributeName: "ip", KeyType: "HASH" }],
            Projection: { ProjectionType: "ALL" },
          },
        ],
      }),
    },
    code: { writer: { "index.js": code } },
  });
  const service = await runningService({ assembly });
  const run = async (command: string, input: object = {}) => {
    const { failed, payload } = await service.invoke("writer", { command, input });
    return failed ? JSON.parse(payload) : "done";
  };
  return { service, run };
}

const put = { Item: { id: { S: "a" }, ip: { S: "b" } } };
const query = {
  IndexName: "byIp",
  KeyConditionExpression: "ip = :ip",
  ExpressionAttributeValues: { ":ip": { S: "b" } },
};

test("a function may do what its role allows, on tables and indexes alike, and the use is recorded", async () => {
  const { service, run } = await serviceWith([
    { Effect: "Allow", Action: ["dynamodb:Put*", "dynamodb:Query"], Resource: [arn, index] },
  ]);
  expect(await run("PutItemCommand", put)).toBe("done");
  expect(await run("PutItemCommand", put)).toBe("done");
  expect(await run("QueryCommand", query)).toBe("done");

  const table = "arn:aws:dynamodb:us-east-1:000000000000:table/Keys";
  expect(await service.usedRights()).toEqual([
    { functionName: "writer", action: "dynamodb:PutItem", resource: table },
    { functionName: "writer", action: "dynamodb:Query", resource: `${table}/index/byIp` },
  ]);
});

test("what the role does not allow is refused in AWS's words, and leaves no record", async () => {
  const { service, run } = await serviceWith([{ Effect: "Allow", Action: "dynamodb:Query", Resource: arn }]);
  const refused = await run("PutItemCommand", put);
  const refusedIndex = await run("QueryCommand", query);

  expect(refused).toMatchObject({ errorType: "AccessDeniedException" });
  expect(refused.errorMessage).toMatch(
    /^User: arn:aws:sts::000000000000:assumed-role\/writer\/writer is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/Keys$/,
  );
  expect(refusedIndex.errorMessage).toContain("table/Keys/index/byIp");
  expect(await service.usedRights()).toEqual([]);
});

test("each table of a batch needs its own right", async () => {
  const { run } = await serviceWith([{ Effect: "Allow", Action: "dynamodb:BatchGetItem", Resource: arn }]);
  const batch = (table: string) => ({ RequestItems: { [table]: { Keys: [{ id: { S: "a" } }] } } });

  expect(await run("BatchGetItemCommand", batch("Keys"))).toBe("done");
  expect(await run("BatchGetItemCommand", batch("Other"))).toMatchObject({ errorType: "AccessDeniedException" });
});

test("a right to some attributes is no right to others, whatever was allowed before", async () => {
  const condition = { "ForAllValues:StringEquals": { "dynamodb:Attributes": ["id", "used_at"] } };
  const { service, run } = await serviceWith([
    { Effect: "Allow", Action: "dynamodb:UpdateItem", Resource: arn, Condition: condition },
  ]);
  const update = (attribute: string, rest: object = {}) =>
    run("UpdateItemCommand", {
      Key: { id: { S: "a" } },
      UpdateExpression: "SET #name = :value",
      ExpressionAttributeNames: { "#name": attribute },
      ExpressionAttributeValues: { ":value": { S: "now" } },
      ...rest,
    });

  expect(await update("used_at")).toBe("done");
  expect(await update("ip")).toMatchObject({ errorType: "AccessDeniedException" });
  expect(await update("used_at", { ConditionExpression: "attribute_exists(ip)" })).toMatchObject({
    errorType: "AccessDeniedException",
  });
  expect(await update("used_at", { ReturnValues: "ALL_OLD" })).toMatchObject({ errorType: "AccessDeniedException" });
  expect(await update("used_at", { ConditionExpression: "attribute_exists(used_at)" })).toBe("done");
  expect(await service.usedRights()).toMatchObject([{ functionName: "writer", action: "dynamodb:UpdateItem" }]);
});

test("a right without a condition holds for all attributes, beside one with", async () => {
  const condition = { "ForAllValues:StringEquals": { "dynamodb:Attributes": "id" } };
  const { run } = await serviceWith([
    { Effect: "Allow", Action: "dynamodb:PutItem", Resource: arn, Condition: condition },
    { Effect: "Allow", Action: "dynamodb:Put*", Resource: arn },
  ]);
  expect(await run("PutItemCommand", put)).toBe("done");
});

test("an access key that is no function's may do all", async () => {
  const { service } = await serviceWith([]);
  const client = new DynamoDBClient({
    endpoint: service.dynamodbUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "mine", secretAccessKey: "x" },
  });
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual(["Keys"]);
  client.destroy();
});

test("an explicit denial outweighs any permission", () => {
  const rights = [
    { effect: "Allow", actions: ["*"], resources: ["*"] },
    { effect: "Deny", actions: ["dynamodb:delete*"], resources: ["*:table/K?ys"] },
  ] as const;
  expect(isAllowed(rights, "dynamodb:DeleteItem", "arn:table/Keys")).toBe(false);
  expect(isAllowed(rights, "dynamodb:DeleteItem", "arn:table/Other")).toBe(true);
  expect(isAllowed(rights, "dynamodb:PutItem", "arn:table/Keys")).toBe(true);
});
