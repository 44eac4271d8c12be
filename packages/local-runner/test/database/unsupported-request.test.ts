import { expect, test } from "vitest";
import { LocalError } from "../../src/support/local-error.ts";
import { functionResources, tableResource, writeAssembly } from "../support/assemblies.ts";
import { runningService, temporaryDirectory } from "../support/services.ts";

const code = `
const { DynamoDBClient, TransactWriteItemsCommand } = require("@aws-sdk/client-dynamodb");
exports.handler = () => new DynamoDBClient().send(new TransactWriteItemsCommand({
  TransactItems: [{ Delete: { TableName: process.env.TABLE, Key: { id: { S: "1" } } } }],
}));`;

test("a function that uses what the embedded database does not support ends the run, with the name of the operation", async () => {
  const properties = { Environment: { Variables: { TABLE: { Ref: "Keys" } } }, Timeout: 10 };
  const statements = [{ Effect: "Allow", Action: "dynamodb:*", Resource: { "Fn::GetAtt": ["Keys", "Arn"] } }];
  const failures: LocalError[] = [];
  const service = await runningService({
    assembly: await writeAssembly(await temporaryDirectory(), {
      resources: { ...functionResources("deleter", { properties, statements }), Keys: tableResource() },
      code: { deleter: { "index.js": code } },
    }),
    onFailure: (failure) => void failures.push(failure),
  });
  const { failed, payload } = await service.invoke("deleter", {});

  expect(failed).toBe(true);
  expect(JSON.parse(payload)).toMatchObject({ errorType: "NotSupportedLocally" });
  await expect.poll(() => failures).toHaveLength(1);
  expect(failures[0]).toBeInstanceOf(LocalError);
  expect(failures[0]).toMatchObject({
    message: expect.stringMatching(
      /^Function deleter sent the embedded database a request .*: TransactWriteItems\. Change/,
    ),
    option: "externalDatabase",
  });
});
