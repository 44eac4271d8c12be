import { expect, test } from "vitest";
import {
  apiResources,
  functionResources,
  runningService,
  tableResource,
  temporaryDirectory,
  writeAssembly,
} from "./fixtures.ts";

test("outputs, tables and functions go by their local names and addresses", async () => {
  const assembly = await writeAssembly(await temporaryDirectory(), {
    resources: {
      ...functionResources("keys", { properties: { Environment: { Variables: { TABLE: { Ref: "KeyTable" } } } } }),
      ...apiResources({ $default: "keys" }),
      KeyTable: tableResource(),
    },
    code: { keys: { "index.mjs": "export const handler = async () => process.env.TABLE" } },
    Outputs: { BaseUrl: { Value: { "Fn::GetAtt": ["Api", "ApiEndpoint"] } } },
  });
  const service = await runningService({ assembly });

  expect(service.outputs).toEqual({ BaseUrl: service.baseUrl });
  expect(service.tableNames).toEqual(["KeyTable"]);
  expect(service.functionNames).toEqual(["keys"]);
  expect(await (await fetch(service.baseUrl)).text()).toBe("KeyTable");
});

test("another DynamoDB is used instead of the embedded one, with the user's own keys", async () => {
  const assembly = async (name: string, code: string) =>
    writeAssembly(await temporaryDirectory(), {
      resources: { ...functionResources(name, { properties: { Timeout: 10 } }), [`${name}Table`]: tableResource() },
      code: { [name]: { "index.js": code } },
    });
  const listTables = `const { DynamoDBClient, ListTablesCommand } = require("@aws-sdk/client-dynamodb");
    exports.handler = async () => [(await new DynamoDBClient({}).send(new ListTablesCommand())).TableNames, process.env.AWS_ACCESS_KEY_ID]`;
  const other = await runningService({ assembly: await assembly("other", "") });
  const externalDatabase = {
    endpoint: other.dynamodbUrl,
    region: "us-east-1",
    credentials: { accessKeyId: "mine", secretAccessKey: "secret" },
  };
  const service = await runningService({ assembly: await assembly("lister", listTables), externalDatabase });

  expect(service.dynamodbUrl).toBe(other.dynamodbUrl);
  expect(JSON.parse((await service.invoke("lister", {})).payload)).toEqual([["listerTable", "otherTable"], "mine"]);
});
