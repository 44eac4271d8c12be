import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tableIdOf } from "../../infra/constructs/service-tables.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { deletedShardOf } from "../../lambdas/dynamodb/history.ts";
import { formatEntry } from "../../lambdas/resources/history/change-entry.ts";
import { rightsOf, storeNames } from "../../lambdas/resources/stores.ts";
import { getToken } from "../../lambdas/v1/get-token.ts";
import { confirmationsOf, exampleCaller } from "../../testing/support/example-callers.ts";
import { actionExamples, operationExamples, targetOf } from "../../testing/support/examples.ts";
import { exampleStates, stateNames, tableNameOf } from "../../testing/support/table-states.ts";
import { type OwnService, startService, tablesOf } from "../support/service.ts";

const addresses = { ip: "127.0.0.1", otherIp: "127.0.0.2" };

let service: OwnService;
/** The operation ids and names of actions that have succeeded in at least one state of the tables. */
const successes = new Set<string>();

beforeAll(async () => {
  service = await startService();
  const tables = tablesOf(service);
  for (const state of stateNames) {
    for (const { operation, request } of operationExamples()) {
      for (const confirmation of confirmationsOf(operation.endpoint)) {
        // A token that was never used and has a limit: its use is recorded and its requests are counted.
        const fields = { rate_limit: 100 };
        const { text: token, record, from } = exampleCaller(operation.endpoint, { ...addresses, confirmation, fields });
        await tables.fill({ ...exampleStates[state], tokens: [...exampleStates[state].tokens, record] });
        const { method, form } = request;
        const { status } = await service.call(method, targetOf(request), { token, from, ...(form && { form }) });
        if (status < 300) successes.add(operation.functionName);
        // Only requests from the token's own address are counted.
        if (from !== addresses.ip) await service.call(method, targetOf(request), { token, ...(form && { form }) });
      }
    }
    for (const { name, payload } of actionExamples()) {
      await tables.fill(exampleStates[state]);
      const { failed } = await service.invoke("admin", payload);
      if (!failed) successes.add(name);
    }
  }
  await service.call("GET", "/api/v1/nowhere");
  await tables.fill({ ...exampleStates.filled, notices: [] });
  await deleteKeyLongAgo();
  await service.invoke("notices", { task: "daily" });
  await service.invoke("admin", { action: "history", key_id: "deleted" });
  const { text: token, record } = exampleCaller(getToken, addresses);
  await tables.fill({ tokens: [record] });
  await service.call("GET", "/api/v1/token", { token, from: addresses.otherIp });
});
afterAll(() => service.close());

test("the example of every endpoint and of every action succeeds in some state of the tables", () => {
  const all = [
    ...operationExamples().map(({ operation }) => operation.functionName),
    ...actionExamples().map(({ name }) => name),
  ];
  expect(all.filter((name) => !successes.has(name))).toEqual([]);
});

test("every function uses all the rights that it declares, and needs no others", async () => {
  const declared = functionsOf(api).flatMap(({ name, uses }) =>
    storeNames.flatMap((store) =>
      rightsOf(store, uses[store] ?? []).map((right) => {
        if (typeof right === "string") return `${name} dynamodb:${right} ${tableIdOf(store)}`;
        const index = "index" in right ? `/index/${right.index}` : "";
        return `${name} dynamodb:${right.action} ${tableIdOf(store)}${index}`;
      }),
    ),
  );
  const used = async () =>
    (await service.usedRights())
      .filter(({ action }) => action.startsWith("dynamodb:"))
      .map(
        ({ functionName, action, resource }) => `${functionName} ${action} ${resource.split("/").slice(1).join("/")}`,
      )
      .toSorted();

  // The usage function counts the calls a little later.
  await expect.poll(used).toEqual([...new Set(declared)].toSorted());
});

/** Leaves the tombstone of a key that was deleted, whose history the daily run moves. */
const deleteKeyLongAgo = async (): Promise<void> => {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new DynamoDBClient({ endpoint: service.dynamodbUrl, region: "us-east-1", credentials });
  const updated_at = "2026-11-01T10:15:30.123Z";
  const entry = formatEntry(updated_at, { kind: "deleted", author: { by: "invoke:1", requestId: "1" } });
  const texts = { key_id: "deleted", updated_at, deletion_id: "1", change_shard: deletedShardOf("deleted") };
  const Item = Object.fromEntries(Object.entries(texts).map(([name, S]) => [name, { S }]));
  await client.send(
    new PutItemCommand({ TableName: tableNameOf(service, "keys"), Item: { ...Item, history: { SS: [entry] } } }),
  );
  client.destroy();
};
