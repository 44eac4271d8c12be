import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { deletedShardOf } from "../../../lambdas/dynamodb/history.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { type Item, recordReader, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import { type AnyTable, keyNamesOf, type StoreOf } from "../../../lambdas/dynamodb/table.ts";
import { type StoreName, tables } from "../../../lambdas/resources/stores.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { newNonce } from "../../../lambdas/resources/tokens/token-text.ts";
import { exampleRequest } from "../../../lambdas/resources/tokens/tokens-table.ts";
import type { UsageHour } from "../../../lambdas/resources/usage/usage-store.ts";
import { absentId, hourMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { author, noteOf } from "../../support/authors.ts";
import { noteRequests } from "./client-requests.ts";
import { openTestStore, useDatabase } from "./stores.ts";

type Open = <Declaration extends AnyTable>(declaration: Declaration) => StoreOf<Declaration>;
/** Stores an item without a store. */
type Fill = (item: Item) => Promise<unknown>;

/** Calls each operation of a store in every way that changes its requests. */
const programs: Record<StoreName, (open: Open, fill: Fill) => Promise<void>> = {
  async keys(open) {
    const keys = open(tables.keys);
    const pair = { key_id: "1", v_code: "a".repeat(64) };
    await keys.create(pair, author);
    await keys.create(pair, author);
    await keys.get("1");
    await keys.replace(pair, author);
    await keys.replace(pair, author, ["mi9dbwor"]);
    const { next } = await keys.list({ limit: 1 });
    await keys.list({ limit: 1, after: next ?? "1" });
    await keys.list({});
    await keys.list({ after: next ?? "1" });
    await keys.list({ limit: 1, prefix: "1" });
    await keys.list({ limit: 1, prefix: "1", after: "1" });
    await keys.delete("1", author);
    await keys.getWithHistory("1");
    await keys.listWithHistory({ limit: 1 });
    const step = { shard: deletedShardOf("1"), limit: 1 };
    const { items, next: after } = await keys.changed(step);
    await keys.changed({ ...step, since: inMs(-hourMs), after });
    await keys.forget("1", items[0]?.updated_at?.S ?? "");
    await keys.create(pair, author);
    // More changes than a record keeps.
    for (let count = 0; count < 22; count += 1) await keys.create({ ...pair, key_id: "2" }, author);
    for (let count = 0; count < 22; count += 1) await keys.replace({ ...pair, key_id: "2" }, author);
  },

  async history(open) {
    const history = open(tables.history);
    const deleted = { key_id: "1", ended_at: inMs(0) };
    await history.archive(deleted, { entries: ["a", "b"], dropped: 0 });
    await history.archive(deleted, { entries: ["a", "b"], dropped: 3 });
    await history.ofKey("1");
    await history.changed({ shard: "0", limit: 1 });
  },

  async limits(open) {
    await open(tables.limits).take(absentId(), { minute: "2026-11-21T15:00Z", limit: 1 });
  },

  async notices(open) {
    const notices = open(tables.notices);
    const about = { kind: "token_unused", comment: "", details: {} } as const;
    const attempt = { channel: "topic", id: "attempt" } as const;
    await notices.add({ ...about, notice_id: "1", token_id: absentId(), ip: "::1" }, inMs(0));
    await notices.add({ ...about, notice_id: "2", token_id: null, ip: null }, inMs(0));
    await notices.claim("1", attempt, inMs(0));
    await notices.settle("1", attempt, "sent");
    const { next } = await notices.list({ limit: 1 });
    await notices.list({ limit: 1, after: next });
  },

  async tokens(open, fill) {
    const tokens = open(tables.tokens);
    const [updated, requested] = [noteOf("updated"), noteOf("requested")];
    const by = { updated_at: inMs(0), updated_by: "admin" };
    const [ends, request] = [{ expires_at: inMs(hourMs) }, JSON.stringify(exampleRequest)];
    const redemption = { secret_hash: newToken().record.secret_hash, redeemed_at: inMs(0), repeat_nonce: newNonce() };
    const invitation = { invitation_hash: redemption.secret_hash, ip: "::", ...ends };
    /** Stores a token, and returns a function that reads it. */
    const insert = async (fields: Partial<TokenRecord>) => {
      const { record } = newToken(fields);
      await tokens.insert(record, noteOf("issued"));
      return async () => (await tokens.find(record.token_id)) ?? record;
    };

    await insert({ rate_limit: 5 });
    const token = await insert(ends);
    const { token_id } = await token();
    await tokens.list({ limit: 1 });
    await tokens.list({ limit: 1, after: token_id });
    await tokens.update(token_id, { rate_limit: 5, ...by }, updated);
    await tokens.update(token_id, { rate_limit: null, ...by }, updated);
    await tokens.recordUse(token_id, inMs(0));
    await tokens.update(token_id, { comment: "x", ...ends, ...by }, updated);
    await tokens.update(token_id, { expires_at: null, ...by }, updated, await token());
    const rotation = { ...ends, rotated_at: inMs(0), rotated_by: "admin", successor_id: absentId() };
    await tokens.rotate(await token(), rotation, noteOf("rotated"));
    const invited = await insert(invitation);
    await tokens.request(await invited(), { request }, requested);
    await tokens.request(await invited(), { request, ip: "198.51.100.7" }, requested);
    await tokens.redeem(await invited(), { ...redemption, ...ends }, author);
    await tokens.redeem(await (await insert(invitation))(), { ...redemption, expires_at: null }, author);
    const { record: former } = newToken();
    await fill(toItem({ ...former }));
    await tokens.update(former.token_id, { comment: "x", ...by }, updated, former);
    await tokens.settle(token_id);
    await tokens.history(token_id);
    await tokens.changed({ shard: "0", limit: 1 });
    await tokens.revoke(token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
  },

  async usage(open, fill) {
    const usage = open(tables.usage);
    const id = absentId();
    const hour = "2026-11-21T15:00:00.000Z";
    const at = (minute: number) => new Date(Date.parse(hour) + minute * 60_000).toISOString();
    const share: UsageHour = { hour, statuses: { "2xx": 1 }, codes: {}, leak_signals: 0, leaks: [], refusals: [] };
    const refusal = { time: at(1), code: "c", status: 422, source_ip: "::1", route: "GET /", leak: false };
    const later = { first_used_at: at(20), last_used_at: at(30) };
    const earlier = { first_used_at: at(10), last_used_at: at(15) };
    const shares = [share, { ...share, codes: { c: 1 }, refusals: [refusal] }, { ...share, ...later }];
    for (const [batch, each] of shares.entries()) await usage.add(id, each, `batch ${batch}`);
    await usage.add(id, { ...share, ...earlier }, "earlier");
    // Keeps as many batches as it can.
    const full = { SS: Array.from({ length: 64 }, (_, batch) => String(batch)) };
    for (const each of shares) {
      await fill({ subject: { S: id }, entry: { S: hour }, batches: full });
      await usage.add(id, each, "one more");
    }
    const address = { source_ip: "::1", first_at: at(0), last_at: at(0) };
    const leaks = [{ ...address, calls: 1 }];
    for (const batch of ["leak", "another leak"]) await usage.add(id, { ...share, leaks }, batch);
    await usage.noteLeak(id, [address]);
    await usage.noteLeak(id, [{ ...address, source_ip: "::2" }]);
    await usage.leaks(at(0));
    // More than DynamoDB returns at once.
    for (const hours of [1, 2, 3, 4]) {
      await fill({ subject: { S: id }, entry: { S: at(hours * 60) }, filler: { S: "a".repeat(390_000) } });
    }
    await usage.hours(id, hour);
  },
};

/** Runs the program of a store: the requests of each of its operations, and the items that they leave. */
export const runProgram = async (name: StoreName, database: ReturnType<typeof useDatabase>) => {
  const { client: otherClient, tableName, put } = await openTestStore<AnyTable>(tables[name], database);
  const client = new DynamoDBClient();
  const requests = noteRequests(client);
  const calls: { operation: string; from: number }[] = [];
  const open: Open = (declaration) =>
    new Proxy(openStore(declaration, { client, tableName }), {
      get(store, operation) {
        return (...input: unknown[]) => {
          calls.push({ operation: String(operation), from: requests.length });
          return Object(store)[operation](...input);
        };
      },
    });
  await programs[name](open, put);
  client.destroy();
  const { Items: items = [] } = await otherClient.send(new ScanCommand({ TableName: tableName }));
  const requestsOf = (operation: string) =>
    calls.flatMap((call, index) =>
      call.operation === operation ? requests.slice(call.from, calls[index + 1]?.from) : [],
    );
  return { requests, items, called: [...new Set(calls.map(({ operation }) => operation))], requestsOf };
};

/** Tests what must hold for the declaration of every table. */
export const testDeclaration = (name: StoreName): void => {
  const declaration: AnyTable = tables[name];
  const database = useDatabase();
  const { partitionKey, sortKey, timeOfChange, timeToLive, fields, rights, example } = declaration;

  test("each operation performs the actions that it declares, and no others", async () => {
    const { called, requestsOf } = await runProgram(name, database);
    for (const operation of called) {
      const performed = new Set(requestsOf(operation).map((request) => request.operation));
      const declared = rights[operation]?.map((right) => (typeof right === "string" ? right : right.action));
      expect({ operation, actions: [...performed] }).toEqual({ operation, actions: declared });
    }
  });

  test("the types of the fields fit their names, and the example is a valid record", () => {
    expect([undefined, "delete_at"]).toContain(timeToLive);
    for (const [name, { kind }] of Object.entries(fields)) {
      if (name.endsWith("_at")) expect(kind, name).toBe("time");
      else expect(["text", "number"], name).toContain(kind);
    }
    for (const key of keyNamesOf({ partitionKey, sortKey })) {
      expect(fields[key]).toMatchObject({ kind: "text", optional: false });
    }
    if (timeOfChange !== undefined) expect(fields[timeOfChange]).toMatchObject({ kind: "time" });
    expect(recordReader(fields as never)(toItem(example as Values))).toEqual(example);
  });
};
