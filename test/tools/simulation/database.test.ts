import { once } from "node:events";
import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { AwsClient } from "aws4fetch";
import { canonical } from "cdk-local-runner/dynamodb-model";
import { createDatabaseServer, localAwsEnvironment } from "cdk-local-runner/parts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AnyTable, keyNamesOf } from "../../../lambdas/dynamodb/table.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import type { DatabaseAnswer, DatabaseRequest } from "../../../tools/simulation/database/database.ts";
import type { Plant } from "../../../tools/simulation/functions.ts";
import { generateSchedule } from "../../../tools/simulation/generate.ts";
import { runSchedule } from "../../../tools/simulation/run-schedule.ts";
import { withVirtualGlobals } from "../../../tools/simulation/world/virtual-globals.ts";
import { createTable } from "../../../tools/support/create-table.ts";

/*
 * The simulated database is compared with the embedded one, which is itself compared with DynamoDB's documentation: both get
 * the requests that the real code sends in random schedules, with late and repeated attempts, in the same order.
 */

const { server } = createDatabaseServer({ environment: localAwsEnvironment() });
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const http = new AwsClient({ ...credentials, service: "dynamodb", region: "us-east-1" });
let url: string;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The embedded database has no port.");
  url = `http://127.0.0.1:${address.port}`;
  const client = new DynamoDBClient({ endpoint: url, region: "us-east-1", credentials });
  for (const [name, table] of Object.entries<AnyTable>(tables)) await createTable(client, name, table);
  client.destroy();
});
afterAll(() => void server.close());

const send = async (action: string, request: DatabaseRequest): Promise<DatabaseAnswer> => {
  const headers = { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": `DynamoDB_20120810.${action}` };
  const response = await http.fetch(url, { method: "POST", headers, body: JSON.stringify(request) });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

interface Exchange {
  action: string;
  request: DatabaseRequest;
  answer: DatabaseAnswer;
}

/** Notes the requests to the simulated database and its responses. */
const observing = (exchanges: Exchange[]): Plant => ({
  seam: {
    answer(action, answer, request) {
      exchanges.push({ action, request, answer });
      return answer;
    },
  },
});

type Item = Record<string, AttributeValue>;

const inOrder = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item)
      .map(([name, value]): [string, AttributeValue] => [name, canonical(value)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** A response without the parts that may differ: the order of a set and of a scan, and the wording of an error. */
const comparable = ({ status, body }: DatabaseAnswer): unknown => {
  const { Item, Attributes, Items, __type, Count, ScannedCount } = body as {
    Item?: Item;
    Attributes?: Item;
    Items?: Item[];
    __type?: string;
    Count?: number;
    ScannedCount?: number;
  };
  return {
    status,
    error: __type?.replace(/^.*#/, ""),
    item: Item && inOrder(Item),
    attributes: Attributes && inOrder(Attributes),
    items: Items?.map((item) => JSON.stringify(inOrder(item))).toSorted(),
    counts: [Count, ScannedCount],
  };
};

test("it handles the requests of random schedules as the embedded database does", async () => {
  const actions = new Set<string>();
  let refusals = 0;
  for (let seed = 1; seed <= 15; seed += 1) {
    const exchanges: Exchange[] = [];
    const { initial, database } = await withVirtualGlobals(() =>
      runSchedule(generateSchedule(seed), () => observing(exchanges)),
    );
    for (const TableName of Object.keys(tables)) {
      for (const Item of initial.itemsOf(TableName).values()) await send("PutItem", { TableName, Item });
    }
    for (const { action, request, answer } of exchanges) {
      expect(comparable(await send(action, request)), `${action} ${JSON.stringify(request)}`).toEqual(
        comparable(answer),
      );
      actions.add(action);
      if (answer.status === 400) refusals += 1;
    }
    for (const [TableName, table] of Object.entries<AnyTable>(tables)) {
      for (const item of database.itemsOf(TableName).values()) {
        const names = keyNamesOf(table);
        const Key = Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
        await send("DeleteItem", { TableName, Key });
      }
    }
  }
  expect([...actions].toSorted()).toEqual(["GetItem", "Query", "Scan", "UpdateItem"]);
  expect(refusals).toBeGreaterThan(10);
});
