import { accessedAttributes } from "cdk-local-runner/parts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { type StoreName, storeNames, tables } from "../../../lambdas/domain/built-in-stores.ts";
import { newNonce } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleRequest, exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { deletedShardOf } from "../../../lambdas/dynamodb/change-history.ts";
import { keyTypeOf } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { recordReader, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import {
  type AnyTable,
  type DynamoDBAction,
  fieldsOf,
  keyNamesOf,
  type Right,
  type StoreOf,
} from "../../../lambdas/dynamodb/table.ts";
import { absentId, hourMs, inMs, newInvitation, newToken } from "../../kit/support/tokens.ts";
import { author, noteOf } from "../../support/authors.ts";
import { type NotedRequest, noteRequests } from "../support/client-requests.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

type Open = <Declaration extends AnyTable>(declaration: Declaration) => StoreOf<Declaration>;

/** Calls each operation of a store. */
const programs: Record<StoreName, (open: Open) => Promise<void>> = {
  async keys(open) {
    const keys = open(tables.keys);
    const pair = { key_id: "1", v_code: "a".repeat(64) };
    await keys.create(pair, author);
    await keys.get("1");
    await keys.replace(pair, author);
    await keys.list({});
    await keys.listWithHistory({ prefix: "1" });
    await keys.delete("1", author);
    await keys.getWithHistory("1");
    await keys.changed({ shard: deletedShardOf("1"), limit: 1 });
    await keys.changes({});
    await keys.forget("1", inMs(0));
  },

  async history(open) {
    const history = open(tables.history);
    await history.archive({ key_id: "1", ended_at: inMs(0) }, { entries: ["a", "b"], dropped: 3 });
    await history.recordReveal("1", author);
    await history.ofKey("1");
    await history.changed({ shard: "0", limit: 1 });
  },

  async limits(open) {
    const limits = open(tables.limits);
    await limits.take(absentId(), { minute: "2026-11-21T15:00Z", limit: 1 });
  },

  async notices(open) {
    const notices = open(tables.notices);
    const about = { kind: "token_unused", comment: "", client: null, details: {} } as const;
    const attempt = { channel: "topic", id: "attempt" } as const;
    await notices.add({ ...about, notice_id: "1", token_id: absentId(), ip: "::1" }, inMs(0));
    await notices.claim("1", attempt, inMs(0));
    await notices.settle("1", attempt, "sent");
    await notices.list({ limit: 1 });
  },

  async tokens(open) {
    const tokens = open(tables.tokens);
    const { record } = newToken();
    const { token_id } = record;
    const expires_at = inMs(hourMs);
    const { record: invitation } = newInvitation({ ip: "::" });
    for (const each of [record, invitation]) await tokens.insert(each, noteOf("issued"));
    await tokens.list({ limit: 1 });
    await tokens.update(token_id, { comment: "x" }, noteOf("updated"));
    await tokens.recordUse(token_id, inMs(0));
    const rotation = { expires_at, rotated_at: inMs(0), rotated_by: "admin", successor_id: absentId() };
    await tokens.rotate((await tokens.find(token_id)) ?? record, rotation, noteOf("rotated"));
    const request = JSON.stringify(exampleRequest);
    await tokens.request(invitation, { request }, noteOf("requested"));
    const { secret_hash } = newToken().record;
    const redemption = { secret_hash, redeemed_at: inMs(0), repeat_nonce: newNonce(), expires_at };
    await tokens.redeem(invitation, redemption, author);
    await tokens.settle(token_id);
    await tokens.history(token_id);
    await tokens.changed({ shard: "0", limit: 1 });
    await tokens.exchange(newToken().record, noteOf("exchanged"));
    await tokens.trust(exampleTrust, noteOf("trusted"));
    await tokens.trustsIssuer(exampleTrust.issuer, inMs(0));
    await tokens.noteIssuer(exampleTrust.token_id, false, inMs(0));
    const trust = (await tokens.find(exampleTrust.token_id)) ?? exampleTrust;
    await tokens.changeTrust(trust, { comment: "x" }, noteOf("trust_updated"));
    await tokens.revoke(token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
  },

  async usage(open) {
    const usage = open(tables.usage);
    const id = absentId();
    const hour = "2026-11-21T15:00:00.000Z";
    await usage.add(id, { hour, statuses: { "2xx": 1 }, codes: {}, leak_signals: 0, leaks: [], refusals: [] }, "batch");
    await usage.noteLeak(id, [{ source_ip: "::1", first_at: hour, last_at: hour }]);
    await usage.leaks(hour);
    await usage.hours(id, hour);
  },
};

/** Returns the permissions that requests need, limited to attributes where the declared permission is. */
const rightsFor = (requests: readonly NotedRequest[], declared: readonly Right[]): Right[] => {
  const needed = requests.map(({ operation, input }): Right => {
    const action = operation as DynamoDBAction;
    const isLimited = declared.some((right) => typeof right === "object" && "attributes" in right);
    const attributes = isLimited ? { attributes: [...accessedAttributes(action, input)] } : undefined;
    if ("IndexName" in input) return { action, index: String(input.IndexName), ...attributes };
    return attributes ? { action, ...attributes } : action;
  });
  return [...new Map(needed.map((right) => [JSON.stringify(inOrder(right)), inOrder(right)])).values()];
};

/** Ignores the order of attributes. */
const inOrder = (right: Right): Right =>
  typeof right === "object" && "attributes" in right && right.attributes
    ? { ...right, attributes: right.attributes.toSorted() }
    : right;

const database = useDatabase();
const declarations = storeNames.map((name): [StoreName, AnyTable] => [name, tables[name]]);

test.for(declarations)("each operation of %s needs exactly its declared permissions", async ([name, table]) => {
  const { client, tableName } = await openTestStore(table, database);
  const requests = noteRequests(client);
  const needed: Record<string, Right[]> = {};
  const open: Open = (opened) =>
    new Proxy(openStore(opened, { client, tableName }), {
      get:
        (store, operation) =>
        async (...input: unknown[]) => {
          const from = requests.length;
          const result = await Object(store)[operation](...input);
          needed[String(operation)] = rightsFor(requests.slice(from), table.rights[String(operation)] ?? []);
          return result;
        },
    });
  await programs[name](open);
  const declared = Object.entries(table.rights).map(([operation, list]) => [operation, list.map(inOrder)]);
  expect(needed).toEqual(Object.fromEntries(declared));
});

test.for(declarations)(
  "the fields of %s have the types that their names suggest, and the example is valid",
  ([, table]) => {
    const { timeOfChange, timeToLive, schema, example } = table;
    const fields = fieldsOf(table);
    const isTime = (name: string) =>
      fields[name] && z.globalRegistry.get(unwrapped(fields[name]))?.format === "date-time";
    expect([undefined, "delete_at"]).toContain(timeToLive);
    for (const name of Object.keys(fields)) expect(isTime(name), name).toBe(/_(at|since)$/.test(name));
    for (const key of keyNamesOf(table)) expect(fields[key] && keyTypeOf(fields[key]), key).toBe("S");
    if (timeOfChange !== undefined) expect(isTime(timeOfChange)).toBe(true);
    expect(recordReader(schema, { strictly: true })(toItem(example as Values))).toEqual(example);
  },
);

const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.core.$ZodOptional ? schema._zod.def.innerType : schema;
