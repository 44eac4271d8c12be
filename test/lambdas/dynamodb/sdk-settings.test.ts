import { createRequire, syncBuiltinESMExports } from "node:module";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type DynamoDBStub, startDynamoDBStub } from "../../support/aws-stub.ts";

// The SDK may keep a reference to the function from the moment it is loaded.
const readFile = vi.spyOn(createRequire(import.meta.url)("node:fs/promises"), "readFile");
syncBuiltinESMExports();
const sdk = await import("@aws-sdk/client-dynamodb");
const { createDynamoDBClient } = await import("../../../lambdas/dynamodb/client.ts");

let stub: DynamoDBStub;
beforeAll(async () => {
  stub = await startDynamoDBStub(() => ({ body: {} }));
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.url);
});
afterAll(() => stub.close());

/** Whether a call reads the settings file that the environment names. */
const readsSettingsFile = async (newClient: () => DynamoDBClient, file: string): Promise<boolean> => {
  vi.stubEnv("AWS_CONFIG_FILE", file);
  await newClient().send(new sdk.GetItemCommand({ TableName: "Keys", Key: { key_id: { S: "1" } } }));
  return readFile.mock.calls.some(([path]) => path === file);
};

test("a function's first call reads no settings file, unlike that of a client with the SDK's own settings", async () => {
  expect(await readsSettingsFile(createDynamoDBClient, "/settings-of-a-function")).toBe(false);
  expect(await readsSettingsFile(() => new sdk.DynamoDBClient(), "/settings-of-the-sdk")).toBe(true);
});
