import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, test, vi } from "vitest";
import { useFastConfiguration } from "../../../lambdas/dynamodb/client.ts";

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

test("one signer signs all requests, each with the current credentials and for the table's region", async () => {
  let keys = { accessKeyId: "first", secretAccessKey: "secret", expiration: new Date(0) };
  const credentials = async () => keys;
  const headers: Record<string, string>[] = [];
  const requestHandler = {
    async handle(request: { headers: Record<string, string> }) {
      headers.push(request.headers);
      return { response: { statusCode: 200, headers: {}, body: Readable.from(["{}"]) } };
    },
  };
  const client = new DynamoDBClient({ region: "eu-central-1", credentials, requestHandler } as object);
  const makeSigner = vi.spyOn(client.config, "signer");
  useFastConfiguration(client);
  for (const accessKeyId of ["first", "second", "second"]) {
    keys = { ...keys, accessKeyId };
    await client.send(new GetItemCommand({ TableName: "t", Key: { id: { S: "1" } } }));
  }
  expect(makeSigner).toHaveBeenCalledTimes(1);
  expect(
    headers.map(({ authorization = "" }) => /Credential=(\w+)\/\d+\/([\w-]+)\/(\w+)/.exec(authorization)?.slice(1)),
  ).toEqual([
    ["first", "eu-central-1", "dynamodb"],
    ["second", "eu-central-1", "dynamodb"],
    ["second", "eu-central-1", "dynamodb"],
  ]);
});

test("the SDK's middleware keeps its order when the configuration is replaced", () => {
  const [client, untouched] = [newClient(), newClient()];
  useFastConfiguration(client);

  expect(client.middlewareStack.identify().toSorted()).toEqual(untouched.middlewareStack.identify().toSorted());
});
