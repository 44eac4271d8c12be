import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BatchWriteItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTables, localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import type { KeyStore } from "../../../lambdas/resources/keys/key-store.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
import { figureOf } from "../measure/statistics.ts";
import { type Chapter, digits, table } from "../report/table.ts";
import { storedKeys } from "../stub/records.ts";

const sizes = [1_000, 100_000, 1_000_000];
const calls = 200;
const TableName = "Keys";
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };

/** The cost of a page and a look-up as the table grows, in the database of the local run. */
export const growth = async (): Promise<Chapter> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "integration-api-growth-"));
  const environment = localAwsEnvironment();
  const onFailure = (failure: Error) => {
    throw failure;
  };
  const database = await startEmbeddedDatabase({ dataDirectory, port: 0, environment, onFailure });
  const access = { endpoint: database.url, region: environment.region, credentials };
  const client = new DynamoDBClient(access);
  try {
    await createTables([keysTable], access, dataDirectory);
    const keys = openStore(declaredTables.keys, { client, tableName: TableName });
    const rows: string[][] = [];
    let filled = 0;
    for (const size of sizes) {
      await fill(client, filled, size);
      filled = size;
      const first = await keys.list({ limit: 50 });
      rows.push([
        new Intl.NumberFormat("en").format(size),
        await time(() => keys.list({ limit: 50 })),
        await time(() => keys.list({ limit: 50, after: first.next })),
        await time((call) => keys.get(keyIdOf((call * 7_919) % size))),
        await time((call) => keys.get(`absent ${call}`)),
      ]);
    }
    const columns = [
      "keys in the table",
      "first page of 50, ms",
      "next page of 50, ms",
      "a key, ms",
      "an absent key, ms",
    ];
    const text = `## Growth\n\nMedian and quartiles of ${calls} calls to the embedded database, over HTTP, the SDK included.\n\n${table(columns, rows)}`;
    return { name: "growth", text };
  } finally {
    client.destroy();
    await database.close();
    await rm(dataDirectory, { recursive: true });
  }
};

const keysTable = {
  TableName,
  AttributeDefinitions: [{ AttributeName: "key_id", AttributeType: "S" as const }],
  KeySchema: [{ AttributeName: "key_id", KeyType: "HASH" as const }],
  GlobalSecondaryIndexes: [],
  LocalSecondaryIndexes: [],
};

const keyIdOf = (index: number): string => `key ${index}`;

/** Adds the keys from one number to another, 25 per call, with several calls in parallel. */
const fill = async (client: DynamoDBClient, from: number, to: number): Promise<void> => {
  const {
    v_code = "",
    created_at = "",
    updated_at = "",
  }: Partial<Awaited<ReturnType<KeyStore["get"]>>> = storedKeys[0] ?? {};
  let next = from;
  const write = async () => {
    while (next < to) {
      const first = next;
      next += 25;
      const puts = Array.from({ length: Math.min(25, to - first) }, (_, index) => ({
        PutRequest: {
          Item: {
            key_id: { S: keyIdOf(first + index) },
            v_code: { S: v_code },
            created_at: { S: created_at },
            updated_at: { S: updated_at },
          },
        },
      }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }));
    }
  };
  await Promise.all([write(), write(), write(), write()]);
};

const time = async (work: (call: number) => Promise<unknown>): Promise<string> => {
  const milliseconds: number[] = [];
  for (let call = -200; call < calls; call += 1) {
    const start = performance.now();
    await work(call);
    if (call >= 0) milliseconds.push(performance.now() - start);
  }
  const { median, low, high } = figureOf(milliseconds);
  return `${digits(median)} (${digits(low)}–${digits(high)})`;
};
