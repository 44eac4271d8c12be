import { BatchWriteItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localAwsEnvironment, startEmbeddedDatabase } from "cdk-local-runner/parts";
import * as z from "zod/mini";
import { nestedCodec } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { recordTable } from "../../../lambdas/dynamodb/record-table.ts";
import { toItem } from "../../../lambdas/dynamodb/records.ts";
import { toTime } from "../../../lambdas/dynamodb/times.ts";
import { createTable } from "../../../test/kit/support/create-table.ts";
import type { Outcome, Trial } from "../conduct.ts";

const shipments = recordTable({
  partitionKey: "shipment_id",
  schema: z.object({ shipment_id: z.string(), customer_id: z.string(), note: z.string() }),
  indexes: { byCustomer: { partition: ["customer_id"], sort: "created_at" } },
});

const customers = 10;
const limit = 100;

/** Reads pages by an index out of a million records of 1 KB each, in the embedded database on disk. */
export const measurePages = async ({ directory, isSmoke, progress }: Trial): Promise<Outcome> => {
  const count = isSmoke ? 5_000 : 1_000_000;
  const onFailure = (error: Error) => {
    throw error;
  };
  const place = { dataDirectory: directory, port: 0, environment: localAwsEnvironment() };
  const database = await startEmbeddedDatabase({ ...place, onFailure });
  const credentials = { accessKeyId: "lab", secretAccessKey: "lab" };
  const client = new DynamoDBClient({ endpoint: database.url, region: "us-east-1", credentials });
  try {
    await createTable(client, "shipments", shipments);
    await fill(client, count, progress);
    const { byCustomer } = openStore(shipments, { client, tableName: "shipments" });
    const newest = { order: "descending", limit } as const;
    const middle = await byCustomer({ customer_id: "customer 0" }, { ...newest, to: timeOf(count / 2) });
    const first = await medianOf(() => byCustomer({ customer_id: "customer 0" }, newest));
    const later = await medianOf(() => byCustomer({ customer_id: "customer 0" }, { ...newest, cursor: middle.next }));
    const isWhole = [first, later].every(({ page: { records } }) => records.length === limit);
    return {
      problems: isWhole ? [] : ["A page is not complete."],
      figures: {
        records: count,
        "items read for a page of 100": first.page.examined,
        "milliseconds for the first page": first.milliseconds,
        "milliseconds for a page in the middle": later.milliseconds,
      },
    };
  } finally {
    client.destroy();
    await database.close();
  }
};

const timeOf = (number: number): string => toTime(Date.UTC(2026, 0, 1) + number * 1_000);

/** Writes the records as the store would, but in batches. */
const fill = async (client: DynamoDBClient, count: number, progress: Trial["progress"]): Promise<void> => {
  const atOnce = 25;
  for (let from = 0; from < count; from += atOnce) {
    const requests = Array.from({ length: atOnce }, (_, place) => {
      const number = from + place;
      const record = {
        shipment_id: String(number),
        customer_id: `customer ${number % customers}`,
        note: "n".repeat(850),
      };
      const times = { created_at: timeOf(number), updated_at: timeOf(number) };
      return { PutRequest: { Item: toItem({ ...record, ...times }, undefined, nestedCodec) } };
    });
    await client.send(new BatchWriteItemCommand({ RequestItems: { shipments: requests } }));
    if (from % 10_000 === 0) progress(`${from} records`);
  }
};

/** Reads a page several times. */
const medianOf = async <Page>(read: () => Promise<Page>) => {
  const times: number[] = [];
  let page = await read();
  for (let round = 0; round < 51; round += 1) {
    const beganAt = performance.now();
    page = await read();
    times.push(performance.now() - beganAt);
  }
  const median = times.toSorted((one, other) => one - other)[25] ?? 0;
  return { page, milliseconds: median.toFixed(1) };
};
