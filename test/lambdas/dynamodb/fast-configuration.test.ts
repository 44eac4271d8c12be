import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { useFastConfiguration } from "../../../lambdas/dynamodb/fast-configuration.ts";

setFlagsFromString("--allow-natives-syntax");
/** Whether V8 stores an object as a hash table, which is slow to copy. */
const isHashTable: (object: object) => boolean = runInNewContext("(object) => !%HasFastProperties(object)");

const newClient = () =>
  new DynamoDBClient({ region: "eu-central-1", credentials: { accessKeyId: "key", secretAccessKey: "secret" } });

test("the SDK's configuration is slow to copy, which is why it is replaced", () => {
  expect(isHashTable(newClient().config)).toBe(true);
});

test("a replaced configuration is fast to copy and has the same values", () => {
  const client = newClient();
  const before = client.config;
  useFastConfiguration(client);

  expect(isHashTable(client.config)).toBe(false);
  expect(client.config).toEqual(before);
});

test("the SDK's middleware keeps its order when the configuration is replaced", () => {
  const [client, untouched] = [newClient(), newClient()];
  useFastConfiguration(client);

  expect(client.middlewareStack.identify().toSorted()).toEqual(untouched.middlewareStack.identify().toSorted());
});
