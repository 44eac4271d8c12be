import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { keys } from "../../lambdas/domain/keys/keys-table.ts";
import { createTable } from "../kit/support/create-table.ts";
import { accessTables } from "../kit/support/table-access.ts";
import { type OwnService, startService, tablesOf } from "../support/service.ts";
import { everyOption, keysRestored, type OptionSet, synthesiseTemplates } from "../support/stages.ts";

let service: OwnService | undefined;
afterEach(() => service?.close());

const startWith = async (options: OptionSet): Promise<OwnService> => {
  service = await startService({ assemblyDirectory: await synthesiseTemplates(options) });
  return service;
};

const key = { key_id: "1", v_code: "v".repeat(64) };

test.each([
  ["development", { stage: "dev" }],
  ["staging", { stage: "staging" }],
  ["production with every option", everyOption],
])("the service runs as %s", async (_, options) => {
  const { call, admin } = await startWith(options);
  expect((await call("POST", "/api/v1/key", { form: key })).status).toBe(201);
  expect((await call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining(key)]);
  expect((await call("GET", "/api/v1/token", { token: null })).status).toBe(401);
  expect((await call("GET", "/api/v1/nowhere")).status).toBe(404);
  expect((await call("GET", "/api/documentation/api-docs.json")).status).toBe(200);
  expect(await admin({ action: "list" })).toMatchObject({ tokens: [expect.anything()] });
});

test("the stage's log level determines what is logged", async () => {
  const { call, issueToken, logged } = await startWith({ stage: "dev", logLevel: "warn" });
  const token = await issueToken("127.0.0.7");
  await call("GET", "/api/v1/token");
  await call("GET", "/api/v1/token", { token });

  expect(logged()).toContain('"leak_signal"');
  // Admin actions are logged at any level.
  const lines = logged().split("\n");
  expect(lines.filter((line) => line.includes(`"level":"INFO"`) && !line.includes(`"actor"`))).toEqual([]);
});

test("the service uses a restored table with its permissions, and leaves the original table alone", async () => {
  const { call, dynamodbUrl, tableNames } = await startWith(keysRestored);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new DynamoDB({ endpoint: dynamodbUrl, region: "us-east-1", credentials });
  onTestFinished(() => client.destroy());
  await createTable(client, keysRestored.keysTable, keys);
  await accessTables({ keys }, client, () => keysRestored.keysTable).put("keys", keys.example);
  const { key_id } = keys.example;

  expect((await call("GET", `/api/v1/key/${key_id}`)).json()).toMatchObject({ key_id });
  expect((await call("POST", "/api/v1/key", { form: { ...key, key_id: "new" } })).status).toBe(201);
  expect((await call("DELETE", `/api/v1/key/${key_id}`)).status).toBe(204);
  expect((await call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining({ key_id: "new" })]);
  expect((await tablesOf({ dynamodbUrl, tableNames }).contents()).items.keys).toEqual([]);
});
