/*
 * `node tools/costs/measure-history.ts` fills the embedded database with tokens and their changes, and shows what pages of the
 * history and the daily search for notices take: seconds, records, read units and dollars.
 */
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as actions from "../../lambdas/admin/actions.ts";
import { shardOf } from "../../lambdas/dynamodb/history.ts";
import { connect } from "../../lambdas/functions/create-stores.ts";
import { serveAdmin } from "../../lambdas/functions/serve-admin.ts";
import { serveNotices } from "../../lambdas/functions/serve-notices.ts";
import { formatEntry } from "../../lambdas/resources/history/change-entry.ts";
import { storeNames, tables } from "../../lambdas/resources/stores.ts";
import { generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { tableVariable } from "../../lambdas/resources/uses.ts";
import { contextOf, requestIdOf } from "../simulation/calls.ts";
import { createTable } from "../support/create-table.ts";
import { startMemoryDatabase } from "../support/memory-database.ts";
import { prices } from "./prices.ts";

const tokens = 20_000;
const changesOfToken = 5;
const periodMs = 365 * 24 * 60 * 60 * 1000;

type Item = Record<string, AttributeValue>;

const { access, close } = await startMemoryDatabase();
Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: access.endpoint,
  AWS_REGION: access.region,
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
});
for (const name of storeNames) process.env[tableVariable(name)] = name;
const connection = connect();
const { client } = connection;
const setup = new DynamoDBClient({});
for (const name of storeNames) await createTable(setup, name, tables[name]);

/** The size of an item, as DynamoDB counts it. */
const bytesOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, { S = "", SS = [], N = "" }]) => {
    const values = [S, ...SS, N].reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
    return sum + Buffer.byteLength(name) + values;
  }, 0);

let units = 0;
client.middlewareStack.add((next) => async (args) => {
  const result = await next(args);
  const { Items = [] } = result.output as { Items?: Item[] };
  const { ConsistentRead = false } = args.input as { ConsistentRead?: boolean };
  const { TableName, IndexName } = args.input as { TableName?: string; IndexName?: string };
  // A projection saves only transfer: the whole item is read and paid for.
  const isProjected = TableName === "tokens" && IndexName === undefined;
  const bytes = isProjected
    ? (storedBytes / tokens) * Items.length
    : Items.reduce((sum, item) => sum + bytesOf(item), 0);
  units += (Math.max(1, Math.ceil(bytes / 4096)) * (ConsistentRead ? 2 : 1)) / 2;
  return result;
});

const now = Date.now();
/** Every token is in use, so that no notice is due. */
const last_used_at = new Date(now).toISOString();
let storedBytes = 0;

const itemOf = (number: number): Item => {
  const { token_id } = generateTokenText();
  const last = now - Math.floor((periodMs * number) / tokens);
  const times = Array.from({ length: changesOfToken }, (_, index) =>
    new Date(last - (changesOfToken - 1 - index) * 24 * 60 * 60 * 1000).toISOString(),
  );
  const [issued_at = "", changed_at = ""] = [times[0], times.at(-1)];
  const author = { by: `invoke:${requestIdOf(number)}:alice`, from: "198.51.100.7", requestId: requestIdOf(number) };
  const entries = times.map((time, index) =>
    formatEntry(time, { kind: index === 0 ? "issued" : "updated", author, details: { rate_limit: "600" } }),
  );
  const { example } = tables.tokens;
  const texts = { ...example, token_id, issued_at, changed_at, change_shard: shardOf(token_id), last_used_at };
  const fields = Object.entries(texts).flatMap(([name, value]): [string, AttributeValue][] => {
    if (name === "expires_at" || value === undefined) return [];
    return [[name, typeof value === "number" ? { N: String(value) } : { S: String(value) }]];
  });
  const item = { ...Object.fromEntries(fields), history: { SS: entries } };
  storedBytes += bytesOf(item);
  return item;
};

for (let start = 0; start < tokens; start += 25) {
  const requests = Array.from({ length: 25 }, (_, index) => ({ PutRequest: { Item: itemOf(start + index) } }));
  await setup.send(new BatchWriteItemCommand({ RequestItems: { tokens: requests } }));
}

const handler = serveAdmin(actions, { connection });

const show = async (what: string, work: () => Promise<string>): Promise<void> => {
  units = 0;
  const began = performance.now();
  const result = await work();
  const seconds = ((performance.now() - began) / 1000).toFixed(2);
  const dollars = prices.dynamodbRead(units).toFixed(6);
  process.stdout.write(`| ${what} | ${result} | ${seconds} | ${units} | $${dollars} |\n`);
};

interface Page {
  changes: object[];
  next_cursor: string | null;
  examined: number;
}

const page = async (input: object): Promise<Page> =>
  (await handler(
    { action: "history", ...input },
    contextOf(requestIdOf(0), () => 0),
  )) as Page;

/** The cursor of the page with this number, from 1. */
const cursorOf = async (number: number, limit: number): Promise<{ cursor?: string }> => {
  let cursor: string | null = null;
  for (let count = 1; count < number; count += 1) {
    cursor = (await page({ limit, ...(cursor !== null && { cursor }) })).next_cursor;
  }
  return cursor === null ? {} : { cursor };
};

const measured = async (what: string, input: object): Promise<void> =>
  show(what, async () => {
    const { changes, examined } = await page(input);
    return `${changes.length} of ${examined} records`;
  });

process.stdout.write(`${tokens} tokens with ${tokens * changesOfToken} changes in a year\n\n`);
process.stdout.write("| What | Result | Seconds | Read units | Cost |\n|---|---|--:|--:|--:|\n");
await measured("the first page of 100", {});
await measured("page 10", await cursorOf(10, 100));
await measured("the last page of 1,000", {
  limit: 1_000,
  ...(await cursorOf((tokens * changesOfToken) / 1_000, 1_000)),
});
await measured("a person who changed nothing", { person: "nobody" });
await measured("since yesterday", { since: new Date(now - 24 * 60 * 60 * 1000).toISOString() });
await show("the daily run of notices, if nothing is due", async () => {
  await serveNotices({ connection, senders: [] })({ task: "daily" });
  return `${tokens} records`;
});
setup.destroy();
client.destroy();
close();
