import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "../../lambdas/resources/keys/keys-table.ts";
import { tables } from "../../lambdas/resources/stores.ts";
import { createTable } from "../../tools/support/create-table.ts";
import { accessTables } from "../../tools/support/table-states.ts";
import { synthesiseTemplates } from "../support/option-sets.ts";
import { type OwnService, startService } from "../support/service.ts";
import { keysRestored } from "../support/stages.ts";
import { tablesOf } from "../support/tables.ts";

let service: OwnService;
let client: DynamoDB;
beforeAll(async () => {
  service = await startService({ assemblyDirectory: await synthesiseTemplates(keysRestored) });
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  client = new DynamoDB({ endpoint: service.dynamodbUrl, region: "us-east-1", credentials });
  const TableName = keysRestored.keysTable;
  await createTable(client, TableName, tables.keys);
});
afterAll(async () => {
  client.destroy();
  await service.close();
});

test("the service reads and writes a restored table with the rights that it has, and leaves its own table alone", async () => {
  const restored = accessTables(client, (store) => (store === "keys" ? keysRestored.keysTable : store));
  const own = tablesOf(service);
  await restored.put("keys", keys.example);
  const { key_id, v_code } = keys.example;

  expect((await service.call("GET", `/api/v1/key/${key_id}`)).json()).toMatchObject({ key_id, v_code });
  expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining({ key_id })]);
  const form = { key_id: "new", v_code: "v".repeat(64) };
  expect((await service.call("POST", "/api/v1/key", { form })).status).toBe(201);
  expect((await service.call("DELETE", `/api/v1/key/${key_id}`)).status).toBe(204);
  expect((await service.call("GET", "/api/v1/key")).json()).toEqual([expect.objectContaining({ key_id: "new" })]);
  expect((await own.contents()).keys).toEqual([]);
});
