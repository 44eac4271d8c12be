import { PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { newNonce } from "../../../../lambdas/resources/tokens/token-text.ts";
import { tokens as tokensTable } from "../../../../lambdas/resources/tokens/tokens-table.ts";
import {
  absentId,
  dayMs,
  hourMs,
  inMs,
  newInvitation,
  newToken,
  requestField,
} from "../../../../tools/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import { type TestTable, useDatabase } from "../../support/database.ts";

const database = useDatabase();
let place: TestTable;
let tokens: TokenStore;

beforeAll(async () => {
  place = await database.newTable("token_id");
  tokens = openStore(tokensTable, { client: place.client, tableName: place.table });
});
afterEach(() => {
  vi.useRealTimers();
});

const by = { updated_at: inMs(0), updated_by: "admin" };

/** Writes that are made to the record that was read, each with a record that it can be made to. */
const writesToSeen = {
  update: [
    newToken,
    (seen) => tokens.update(seen.token_id, { dismissed_addresses: null, ...by }, noteOf("updated"), seen),
  ],
  rotate: [
    newToken,
    (seen) => {
      const rotated = { expires_at: inMs(hourMs), rotated_at: inMs(0), rotated_by: "admin", successor_id: absentId() };
      return tokens.rotate(seen, rotated, noteOf("rotated"));
    },
  ],
  request: [newToken, (seen) => tokens.request(seen, { request: requestField() }, noteOf("requested"))],
  "request of an invitation": [
    newInvitation,
    (seen) => tokens.request(seen, { request: requestField() }, noteOf("requested")),
  ],
  redeem: [
    newInvitation,
    (seen) => {
      const redemption = { secret_hash: seen.secret_hash, redeemed_at: inMs(0), repeat_nonce: newNonce() };
      return tokens.redeem(seen, { ...redemption, expires_at: inMs(dayMs) }, author);
    },
  ],
} satisfies Record<string, [typeof newToken, (seen: TokenRecord) => ReturnType<TokenStore["update"]>]>;

/** Writes that are made to the current record. */
const otherWrites = {
  insert: [
    newToken,
    (seen) => expect(tokens.insert(seen, noteOf("issued"))).rejects.toMatchObject({ code: "unavailable" }),
  ],
  revoke: [newToken, ({ token_id }) => tokens.revoke(token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author)],
  settle: [newToken, ({ token_id }) => tokens.settle(token_id)],
  recordUse: [newToken, ({ token_id }) => tokens.recordUse(token_id, inMs(0))],
} satisfies Record<string, [typeof newToken, (seen: TokenRecord) => Promise<unknown>]>;

const writes = { ...writesToSeen, ...otherWrites } satisfies Record<
  Exclude<keyof TokenStore, "find" | "list" | "history" | "changed">,
  unknown
>;

/** Stores a record as a release did, and reads it. Release 1.0 stored no time of change. */
const stored = async ({ record }: ReturnType<typeof newToken>, release: "1.0" | "1.1"): Promise<TokenRecord> => {
  const item = { ...record, ...(release === "1.1" && { changed_at: inMs(-hourMs) }) };
  await place.client.send(new PutItemCommand({ TableName: place.table, Item: toItem(item) }));
  return found(record);
};

const found = async ({ token_id }: TokenRecord): Promise<TokenRecord> => {
  const token = await tokens.find(token_id);
  if (!token) throw new Error("there is no such token");
  return token;
};

/** Another clock, by which every record has been at rest for a long time. */
const setLateClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });

/** The changes of an admin, made by this version or by release 1.0. */
const edits: Record<string, (seen: TokenRecord) => Promise<Partial<TokenRecord>>> = {
  async "by this version"({ token_id, ...seen }) {
    if (seen.invitation_hash !== undefined) {
      const edit = { ip: "203.0.113.9", request: requestField({ ip: "203.0.113.9" }) };
      await tokens.request({ token_id, ...seen }, edit, noteOf("confirmed"));
      return edit;
    }
    const edit = { comment: "edited", expires_at: inMs(2 * hourMs), rate_limit: 1 };
    await tokens.update(token_id, { ...edit, ...by }, noteOf("updated"));
    return edit;
  },
  async "by release 1.0"({ token_id }) {
    await place.client.send(
      new UpdateItemCommand({
        TableName: place.table,
        Key: { token_id: { S: token_id } },
        UpdateExpression: "SET rate_limit = :limit",
        ExpressionAttributeValues: { ":limit": { N: "1" } },
      }),
    );
    return { rate_limit: 1 };
  },
};

describe.for(Object.entries(writes))("%s", ([name, [newRecord, write]]) => {
  test.for([
    ["1.0", "by this version"],
    ["1.0", "by release 1.0"],
    ["1.1", "by this version"],
  ] as const)(
    "undoes no edit of a record of release %s that was made %s after it was read",
    async ([release, editor]) => {
      const seen = await stored(newRecord(), release);
      const edit = await edits[editor]?.(seen);
      setLateClock();
      const outcome = await write(seen);
      if (name in writesToSeen) expect(outcome).toMatchObject({ made: false });
      expect(await found(seen)).toMatchObject({ ...edit });
    },
  );
});

describe.for(Object.entries(writesToSeen))("%s", ([, [newRecord, write]]) => {
  test.for(["1.0", "1.1"] as const)("is made to a record of release %s that was only used since", async (release) => {
    const seen = await stored(newRecord(), release);
    await tokens.recordUse(seen.token_id, inMs(0));
    expect((await write(seen)).made).toBe(true);
  });
});
