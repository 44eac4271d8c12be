import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTables } from "../../src/database/create-tables.ts";
import { databaseFailure, startEmbeddedDatabase } from "../../src/database/embedded-database.ts";
import { localAwsEnvironment } from "../../src/support/aws-environment.ts";
import { openListener } from "../../src/support/http-listener.ts";
import { folderOf, temporaryDirectory } from "../support/services.ts";

const start = (dataDirectory: string) =>
  startEmbeddedDatabase({
    dataDirectory,
    port: 0,
    environment: localAwsEnvironment(),
    onFailure: (failure) => expect.unreachable(failure.message),
  });

test("a web page cannot reach the database", async () => {
  const database = await start(await temporaryDirectory());
  const headers = { origin: "https://page.example", "x-amz-target": "DynamoDB_20120810.ListTables" };
  const answer = await fetch(database.url, { method: "POST", headers, body: "{}" });
  const text = await answer.text();
  await database.close();

  expect(answer.status).toBe(400);
  expect(text).toContain("Requests from web pages are refused");
});

test("damaged data is reported, with instructions", async () => {
  const dataDirectory = await temporaryDirectory();
  await (await start(dataDirectory)).close();
  await writeFile(join(dataDirectory, "tables/tables.sqlite-head"), "");

  await expect(start(dataDirectory)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^The data in \S+ is damaged \(\S+\/tables\/tables\.sqlite-head does not have its checksum\): restore a copy/,
    ),
    option: "dataDirectory",
  });
});

test("only the owner has access to the data, also in a folder where everybody had it before", async () => {
  const dataDirectory = await temporaryDirectory();
  await (await start(dataDirectory)).close();
  const paths = [".", ...(await readdir(dataDirectory, { recursive: true }))].map((path) => join(dataDirectory, path));
  for (const path of paths) await chmod(path, (await stat(path)).isDirectory() ? 0o777 : 0o666);
  await (await start(dataDirectory)).close();

  for (const path of [".", ...(await readdir(dataDirectory, { recursive: true }))]) {
    expect((await stat(join(dataDirectory, path))).mode & 0o077, path).toBe(0);
  }
});

test("a data folder that cannot be created is reported by name, with instructions", async () => {
  const folder = await folderOf({ file: "" });

  await expect(start(join(folder, "file/data"))).rejects.toMatchObject({
    message: expect.stringMatching(/^The data folder .*file\/data cannot be written \(.+\): correct its perm/),
    option: "dataDirectory",
  });
});

test.each([
  "unable to open database file",
  "attempt to write a readonly database",
  "database or disk is full",
  "EACCES: permission denied",
])("a folder that is not writable (%s) is not reported as damaged", (reason) => {
  const failure = databaseFailure(
    { code: "ERR_SQLITE_ERROR", message: reason },
    { dataDirectory: "/data", port: 3002 },
  );
  expect(failure.message).toMatch(/^The data folder \/data cannot be written/);
});

test("a DynamoDB that does not answer is reported by address, with the reason", async () => {
  const listener = await openListener(0, "nothing");
  await listener.close(0);
  const table = {
    TableName: "T",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" as const }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" as const }],
    GlobalSecondaryIndexes: [],
    LocalSecondaryIndexes: [],
  };

  await expect(createTables([table], { endpoint: listener.url, region: "us-east-1" }, "there")).rejects.toMatchObject({
    message: expect.stringMatching(/^The tables could not be created in the DynamoDB at http:\S+ \(.*ECONNREFUSED/),
    option: "externalDatabase",
  });
});
