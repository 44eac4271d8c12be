import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DeleteItemCommand, DynamoDBClient, PutItemCommand, QueryCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import type { TableDefinition } from "../../src/assembly/tables.ts";
import { createTables } from "../../src/database/create-tables.ts";
import { databaseFailure, startEmbeddedDatabase } from "../../src/database/embedded-database.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { openListener } from "../../src/support/http-listener.ts";
import { byChange, indexedTable } from "../support/engine.ts";
import { folderOf, temporaryDirectory } from "../support/services.ts";

const { BillingMode: _, ...indexed } = indexedTable;
const withIndex: TableDefinition = { ...indexed, TableName: "Tokens" };
const withoutIndex: TableDefinition = {
  ...withIndex,
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  GlobalSecondaryIndexes: [],
};

const start = (dataDirectory: string) => {
  const onFailure = (failure: Error) => expect.unreachable(failure.message);
  return startEmbeddedDatabase({ dataDirectory, port: 0, environment: localAwsEnvironment(), onFailure });
};

/** Starts the database in a folder, runs `use` with it, and stops it. */
const withDatabase = async <Result>(
  dataDirectory: string,
  tables: TableDefinition[],
  use: (client: DynamoDBClient) => Promise<Result>,
): Promise<Result> => {
  const database = await start(dataDirectory);
  const access = { endpoint: database.url, region: "us-east-1" };
  const client = new DynamoDBClient({ ...access, credentials: { accessKeyId: "x", secretAccessKey: "x" } });
  try {
    await createTables(tables, access, dataDirectory);
    return await use(client);
  } finally {
    client.destroy();
    await database.close();
  }
};

const put = (client: DynamoDBClient, id: string, changedAt: string, history = "a") =>
  client.send(
    new PutItemCommand({
      TableName: "Tokens",
      Item: {
        id: { S: id },
        change_shard: { S: "0" },
        changed_at: { S: changedAt },
        history: { SS: [history] },
        other: { S: "not projected" },
      },
    }),
  );

const all = async (client: DynamoDBClient) => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: "Tokens" }));
  return Items;
};

const indexEntries = async (client: DynamoDBClient) => {
  const query = new QueryCommand({
    TableName: "Tokens",
    IndexName: "by_change",
    KeyConditionExpression: "change_shard = :shard",
    ExpressionAttributeValues: { ":shard": { S: "0" } },
  });
  return (await client.send(query)).Items ?? [];
};

test("adds a new index to stored tables with all matching items and without data loss", async () => {
  const folder = await temporaryDirectory();
  const before = await withDatabase(folder, [withoutIndex], async (client) => {
    await put(client, "1", "2026-02");
    await put(client, "2", "2026-01");
    for (const item of [{ id: { S: "3" } }, { id: { S: "4" }, change_shard: { S: "0" }, changed_at: { N: "1" } }]) {
      await client.send(new PutItemCommand({ TableName: "Tokens", Item: item }));
    }
    return all(client);
  });
  const read = async (client: DynamoDBClient) => ({ items: await all(client), entries: await indexEntries(client) });
  const added = await withDatabase(folder, [withIndex], read);
  const restarted = await withDatabase(folder, [withIndex], read);

  expect(added.items).toEqual(before);
  expect(added.entries).toEqual([
    { id: { S: "2" }, change_shard: { S: "0" }, changed_at: { S: "2026-01" }, history: { SS: ["a"] } },
    { id: { S: "1" }, change_shard: { S: "0" }, changed_at: { S: "2026-02" }, history: { SS: ["a"] } },
  ]);
  expect(restarted).toEqual(added);
});

test("removes an index that the template no longer declares, and can add it again, without data loss", async () => {
  const folder = await temporaryDirectory();
  await withDatabase(folder, [withIndex], async (client) => {
    for (const id of ["1", "deleted"]) await put(client, id, "2026-01");
  });
  const removed = await withDatabase(folder, [withoutIndex], async (client) => {
    await client.send(new DeleteItemCommand({ TableName: "Tokens", Key: { id: { S: "deleted" } } }));
    // Its key attributes are like all others now.
    await client.send(new PutItemCommand({ TableName: "Tokens", Item: { id: { S: "2" }, changed_at: { N: "1" } } }));
    await expect(indexEntries(client)).rejects.toThrow("does not have the specified index: by_change");
    return all(client);
  });
  const added = await withDatabase(folder, [withIndex], async (client) => [
    await all(client),
    await indexEntries(client),
  ]);

  expect(removed.map(({ id }) => id?.S).toSorted()).toEqual(["1", "2"]);
  expect(added).toEqual([removed, [expect.objectContaining({ id: { S: "1" } })]]);
});

/** Returns the table with another index, whose partition key has these attributes. */
const withHashKeys = (names: string[]): TableDefinition => {
  const KeySchema = names.map((AttributeName) => ({ AttributeName, KeyType: "HASH" as const }));
  return { ...withIndex, GlobalSecondaryIndexes: [byChange, { ...byChange, IndexName: "by_both", KeySchema }] };
};

test.for<[what: string, changed: Partial<TableDefinition>]>([
  [
    "another projection of an index",
    { GlobalSecondaryIndexes: [{ ...byChange, Projection: { ProjectionType: "ALL" } }] },
  ],
  [
    "another type of its key",
    { AttributeDefinitions: withIndex.AttributeDefinitions.map((one) => ({ ...one, AttributeType: "N" })) },
  ],
  ["keys of an index in another order", withHashKeys(["change_shard", "changed_at"])],
])("rejects a table whose template declares %s, with its name and instructions", async ([, changed]) => {
  const folder = await temporaryDirectory();
  const existing = withHashKeys(["changed_at", "change_shard"]);
  await withDatabase(folder, [existing], async () => {});

  await expect(withDatabase(folder, [{ ...existing, ...changed }], async () => {})).rejects.toMatchObject({
    message: expect.stringMatching(/Table Tokens in .* has different keys or indexes.*choose another data folder/),
    option: "dataDirectory",
  });
});

test("asks an external DynamoDB to add the index, and waits until it is complete", async () => {
  const requests: string[] = [];
  const listener = await openListener(0, "a DynamoDB");
  onTestFinished(() => listener.close(0));
  const states = ["CREATING", "ACTIVE"];
  listener.serve((request, response) => {
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
      requests.push(operation === "UpdateTable" ? body : operation);
      const isAdded = requests.some((one) => one.startsWith("{"));
      const GlobalSecondaryIndexes = [{ ...byChange, IndexStatus: isAdded && (states.shift() ?? "ACTIVE") }];
      const table = { ...(isAdded ? { ...withIndex, GlobalSecondaryIndexes } : withoutIndex), TableStatus: "ACTIVE" };
      response.setHeader("content-type", "application/x-amz-json-1.0");
      response.end(JSON.stringify(operation === "UpdateTable" ? { TableDescription: table } : { Table: table }));
    });
  });
  await createTables([withIndex], { endpoint: listener.url, region: "us-east-1" }, listener.url);

  const update = requests.find((one) => one.startsWith("{"));
  expect(JSON.parse(update ?? "")).toEqual({
    TableName: "Tokens",
    AttributeDefinitions: indexedTable.AttributeDefinitions,
    GlobalSecondaryIndexUpdates: [{ Create: byChange }],
  });
  expect(states).toEqual([]);
});

test("rejects requests from web pages", async () => {
  const database = await start(await temporaryDirectory());
  const headers = { origin: "https://page.example", "x-amz-target": "DynamoDB_20120810.ListTables" };
  const answer = await fetch(database.url, { method: "POST", headers, body: "{}" });
  const text = await answer.text();
  await database.close();

  expect(answer.status).toBe(400);
  expect(text).toContain("Requests from web pages are refused");
});

test("reports damaged data with instructions", async () => {
  const dataDirectory = await temporaryDirectory();
  await (await start(dataDirectory)).close();
  await writeFile(join(dataDirectory, "tables.sqlite"), "no tables");

  await expect(start(dataDirectory)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^The data in \S+ is damaged \(\S+\/tables\.sqlite cannot be read: file is not a database\): restore a copy/,
    ),
    option: "dataDirectory",
  });
});

test("restricts the data to its owner, even if the folder was accessible to everyone", async () => {
  const dataDirectory = await temporaryDirectory();
  await (await start(dataDirectory)).close();
  const paths = [".", ...(await readdir(dataDirectory, { recursive: true }))].map((path) => join(dataDirectory, path));
  for (const path of paths) await chmod(path, (await stat(path)).isDirectory() ? 0o777 : 0o666);
  await (await start(dataDirectory)).close();

  for (const path of [".", ...(await readdir(dataDirectory, { recursive: true }))]) {
    expect((await stat(join(dataDirectory, path))).mode & 0o077, path).toBe(0);
  }
});

test("names the data folder and gives instructions if it cannot be created", async () => {
  const folder = await folderOf({ file: "" });

  await expect(start(join(folder, "file/data"))).rejects.toMatchObject({
    message: expect.stringMatching(/^The data folder .*file\/data cannot be written \(.+\): correct its perm/),
    option: "dataDirectory",
  });
});

test.each([
  ["EACCES", "permission denied", "correct its permissions"],
  ["ERR_SQLITE_ERROR", "attempt to write a readonly database", "correct its permissions"],
  ["ERR_SQLITE_ERROR", "database or disk is full", "the disk is full, so free some space on it"],
  ["ENOSPC", "no space left on device", "the disk is full, so free some space on it"],
  ["EDQUOT", "disk quota exceeded", "the disk is full, so free some space on it"],
  ["ERR_SQLITE_ERROR", "disk I/O error", "check the disk"],
])("does not report a read-only folder (%s: %s) as damaged, and the message says: %s", (code, reason, remedy) => {
  const failure = databaseFailure(Object.assign(new Error(reason), { code }), { dataDirectory: "/data", port: 3002 });
  expect(failure.message).toBe(
    `The data folder /data cannot be written (${reason}): ${remedy}, or choose another folder.`,
  );
});

test("reports the address and the reason if an external DynamoDB does not respond", async () => {
  const listener = await openListener(0, "nothing");
  await listener.close(0);

  await expect(
    createTables([withIndex], { endpoint: listener.url, region: "us-east-1" }, "there"),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/^The tables could not be created in the DynamoDB at http:\S+ \(.*ECONNREFUSED/),
    option: "externalDatabase",
  });
});
