import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, test } from "vitest";
import { mostEntries } from "../../../../lambdas/dynamodb/history.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import * as declaredTables from "../../../../lambdas/resources/tables.ts";
import { lifeCycle, unrotated, working } from "../../../../lambdas/resources/tokens/life-cycle.ts";
import { type Phase, phases } from "../../../../lambdas/resources/tokens/token-state.ts";
import type {
  Rotation,
  TokenChange,
  TokenRecord,
  TokenStore,
} from "../../../../lambdas/resources/tokens/token-store.ts";
import { newNonce } from "../../../../lambdas/resources/tokens/token-text.ts";
import { exampleRequest } from "../../../../lambdas/resources/tokens/tokens-table.ts";
import { dayMs, hourMs, inMs, newInvitation, newToken } from "../../../../tools/support/tokens.ts";
import { author, changesIn, noteOf } from "../../../support/authors.ts";
import { loseNextAnswer, type TestTable, useDatabase } from "../../support/database.ts";
import { apiErrorOf } from "../../support/rejection.ts";
import { recordIn } from "../../support/token-phases.ts";

const database = useDatabase();
let place: TestTable;
let tokens: TokenStore;

beforeAll(async () => {
  place = await database.newTable("token_id");
  tokens = openStore(declaredTables.tokens, { client: place.client, tableName: place.table });
});

/** When the record was changed last. */
const changed = { changed_at: expect.stringMatching(/Z$/) };

/** The record after a change that was made. */
const made = async (change: Promise<TokenChange>) => {
  const { made, token } = await change;
  return made ? token : undefined;
};

const stored = async (fields: Partial<TokenRecord> = {}): Promise<TokenRecord> => {
  const { record } = newToken(fields);
  await tokens.insert(record, noteOf("issued"));
  return (await tokens.find(record.token_id)) ?? record;
};

const rotation = (graceMs = hourMs, successor_id = newToken().record.token_id): Rotation => ({
  expires_at: inMs(graceMs),
  rotated_at: inMs(0),
  rotated_by: "invoke:rotate-1",
  successor_id,
});

const revocation = (by = "invoke:revoke-1") => ({ revoked_at: inMs(0), revoked_by: by });

const limitOf = (rate_limit: number | null) => ({ rate_limit, updated_at: inMs(0), updated_by: "invoke:update-1" });

const deleteAtOf = async ({ token_id }: TokenRecord): Promise<string | undefined> => {
  const { Item } = await place.client.send(
    new GetItemCommand({ TableName: place.table, Key: { token_id: { S: token_id } }, ConsistentRead: true }),
  );
  return Item?.delete_at?.N;
};

const ninetyDaysAfter = (time: string): string => String(Math.floor(Date.parse(time) / 1000) + 7_776_000);

describe("a token in any phase", () => {
  const writes: Record<string, { from: readonly Phase[]; write: (seen: TokenRecord) => Promise<TokenChange> }> = {
    update: { from: working, write: ({ token_id }) => tokens.update(token_id, limitOf(1), noteOf("updated")) },
    "update of the expiry": {
      from: unrotated,
      write: ({ token_id }) => tokens.update(token_id, { expires_at: null }, noteOf("updated")),
    },
    // A client's request is not part of the condition. These two writes are made to exactly the record that was read.
    redeem: {
      from: [...lifeCycle.redeem.from, "awaiting_confirmation"],
      write: (seen) =>
        tokens.redeem(
          seen,
          {
            secret_hash: seen.secret_hash,
            redeemed_at: inMs(0),
            repeat_nonce: newNonce(),
            expires_at: null,
          },
          author,
        ),
    },
    request: {
      from: [...lifeCycle.ask.from, ...lifeCycle.ask_to_move.from, "move_confirmed"],
      write: (seen) => tokens.request(seen, { request: JSON.stringify(exampleRequest) }, noteOf("requested")),
    },
    rotate: { from: lifeCycle.rotate.from, write: (seen) => tokens.rotate(seen, rotation(), noteOf("rotated")) },
    revoke: { from: lifeCycle.revoke.from, write: ({ token_id }) => tokens.revoke(token_id, revocation(), author) },
  };
  const cases = Object.entries(writes).flatMap(([name, { from, write }]) =>
    (Object.keys(phases) as Phase[]).map((phase) => ({ name, phase, from, write })),
  );

  test.for(cases)("takes a $name when it is $phase only if its life cycle says so", async ({ phase, from, write }) => {
    const record = recordIn(phase);
    await tokens.insert(record, noteOf("issued"));
    const seen = (await tokens.find(record.token_id)) ?? record;
    const { made } = await write(seen);
    expect(made).toBe(from.includes(phase));
    if (!made) expect(await tokens.find(record.token_id)).toEqual(seen);
  });
});

describe("a token", () => {
  test("is returned as it was stored, with or without its optional fields", async () => {
    const bare = await stored({ comment: "" });
    const full = await stored({
      comment: "e\u0301 😀 \u202E __proto__",
      expires_at: inMs(hourMs),
      predecessor_id: newToken().record.token_id,
      rate_limit: 100_000,
    });
    expect(await tokens.find(bare.token_id)).toEqual({ ...bare, ...changed });
    expect(await tokens.find(full.token_id)).toEqual({ ...full, ...changed });
  });

  test("that does not exist cannot be found, changed or rotated, and revoking it does not create it", async () => {
    expect(await tokens.find("absent")).toBeUndefined();
    expect(await made(tokens.update("absent", limitOf(1), noteOf("updated")))).toBeUndefined();
    expect(await made(tokens.rotate(newToken().record, rotation(), noteOf("rotated")))).toBeUndefined();
    expect(await made(tokens.revoke("absent", revocation(), author))).toBeUndefined();
    expect(await tokens.find("absent")).toBeUndefined();
  });

  test("is on exactly one page", async () => {
    const { client, table } = await database.newTable("token_id");
    const store = openStore(declaredTables.tokens, { client, tableName: table });
    const records = Array.from({ length: 7 }, () => newToken({ expires_at: inMs(hourMs) }).record);
    await Promise.all(records.map((record) => store.insert(record, noteOf("issued"))));
    const first = await store.list({ limit: 4 });
    const last = await store.list({ limit: 4, after: first.next });
    expect(last).not.toHaveProperty("next");
    const byId = (one: TokenRecord, other: TokenRecord) => one.token_id.localeCompare(other.token_id);
    expect([...first.tokens, ...last.tokens].toSorted(byId)).toEqual(
      records.map((record) => ({ ...record, ...changed })).toSorted(byId),
    );
  });
});

describe("an active token", () => {
  test("gets a limit, another one and none, and keeps its other fields, including its time-to-live", async () => {
    const record = await stored({ expires_at: inMs(hourMs) });
    for (const rate_limit of [60, 1, null]) {
      const { updated_at, updated_by } = limitOf(rate_limit);
      const updated = { ...record, ...changed, updated_at, updated_by, ...(rate_limit !== null && { rate_limit }) };
      expect(
        await made(tokens.update(record.token_id, { rate_limit, updated_at, updated_by }, noteOf("updated"))),
      ).toEqual(updated);
      expect(await tokens.find(record.token_id)).toEqual(updated);
    }
    expect(await deleteAtOf(record)).toBe(ninetyDaysAfter(String(record.expires_at)));
  });

  test("gets another comment and another end, and its time-to-live follows its end", async () => {
    const record = await stored({ expires_at: inMs(hourMs), rate_limit: 5 });
    const by = { updated_at: inMs(0), updated_by: "alice" };
    const expires_at = inMs(2 * hourMs);
    const updated = { ...record, ...changed, ...by, comment: "", expires_at };
    expect(await made(tokens.update(record.token_id, { comment: "", expires_at, ...by }, noteOf("updated")))).toEqual(
      updated,
    );
    expect(await deleteAtOf(record)).toBe(ninetyDaysAfter(expires_at));

    const { expires_at: _, ...endless } = updated;
    expect(await made(tokens.update(record.token_id, { expires_at: null, ...by }, noteOf("updated")))).toEqual(endless);
    expect(await deleteAtOf(record)).toBeUndefined();
    expect(await tokens.find(record.token_id)).toEqual(endless);
  });

  test("that was rotated keeps its end, whatever an update says, and can get another comment", async () => {
    const record = await stored();
    const { expires_at } = (await made(tokens.rotate(record, rotation(), noteOf("rotated")))) ?? {};
    const by = { updated_at: inMs(0), updated_by: "alice" };
    for (const end of [inMs(1), inMs(2 * hourMs), null]) {
      expect(
        await made(tokens.update(record.token_id, { expires_at: end, comment: "x", ...by }, noteOf("updated"))),
      ).toBeUndefined();
    }
    expect(await made(tokens.update(record.token_id, { comment: "y", ...by }, noteOf("updated")))).toMatchObject({
      comment: "y",
      expires_at,
    });
  });

  test("is rotated: it gets its end and its successor, and keeps its other fields", async () => {
    const [record, change] = [await stored({ expires_at: inMs(2 * hourMs) }), rotation()];
    expect(await made(tokens.rotate(record, change, noteOf("rotated")))).toEqual({ ...record, ...changed, ...change });
    expect(await tokens.find(record.token_id)).toEqual({ ...record, ...changed, ...change });
  });

  test("is revoked: it gets its end, and keeps its other fields", async () => {
    const [record, change] = [await stored({ expires_at: inMs(hourMs) }), revocation()];
    expect(await made(tokens.revoke(record.token_id, change, author))).toEqual({ ...record, ...changed, ...change });
    expect(await tokens.find(record.token_id)).toEqual({ ...record, ...changed, ...change });
  });

  test("that was rotated can be revoked before its grace ends", async () => {
    const record = await stored();
    const { successor_id, ...change } = rotation();
    await tokens.rotate(record, { ...change, successor_id }, noteOf("rotated"));
    expect(await made(tokens.revoke(record.token_id, revocation(), author))).toMatchObject({ successor_id });
  });
});

describe("a token that has ended", () => {
  test.for<[string, Partial<TokenRecord>]>([
    ["expired", { expires_at: inMs(-1) }],
    ["revoked", { revoked_at: inMs(-hourMs), revoked_by: "invoke:revoke-0" }],
    ["revoked, with an end to come", { ...revocation("invoke:revoke-0"), expires_at: inMs(hourMs) }],
  ])("because it %s cannot be changed, rotated or revoked again", async ([, fields]) => {
    const record = await stored(fields);
    expect(await made(tokens.update(record.token_id, limitOf(1), noteOf("updated")))).toBeUndefined();
    expect(await made(tokens.rotate(record, rotation(), noteOf("rotated")))).toBeUndefined();
    expect(await made(tokens.revoke(record.token_id, revocation(), author))).toBeUndefined();
    expect(await tokens.find(record.token_id)).toEqual({ ...record, ...changed });
  });

  test("in the current millisecond counts as ended", async () => {
    const change = rotation();
    const record = await stored({ expires_at: change.rotated_at });
    expect(await made(tokens.rotate(record, change, noteOf("rotated")))).toBeUndefined();
  });
});

describe("of simultaneous calls", () => {
  test("to rotate one token exactly one wins, and its successor is the stored one", async () => {
    const record = await stored();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => made(tokens.rotate(record, rotation(), noteOf("rotated")))),
    );
    const won = outcomes.filter((outcome) => outcome !== undefined);
    expect(won).toHaveLength(1);
    expect(won[0]).toEqual(await tokens.find(record.token_id));
  });

  test("to revoke one token exactly one wins", async () => {
    const record = await stored();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        made(tokens.revoke(record.token_id, revocation(`invoke:${index}`), author)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual([await tokens.find(record.token_id)]);
  });
});

describe("a call whose answer is lost, so that the SDK retries,", () => {
  test.for(["rotate", "revoke"] as const)("changes the token once: %s", async (operation) => {
    const record = await stored();
    const change = operation === "rotate" ? rotation(0) : revocation();
    loseNextAnswer(place.client);
    if ("successor_id" in change) await tokens.rotate(record, change, noteOf("rotated"));
    else await tokens.revoke(record.token_id, change, author);
    expect(await tokens.find(record.token_id)).toEqual({ ...record, ...changed, ...change });
  });

  test("inserts the token once", async () => {
    loseNextAnswer(place.client);
    const record = await stored();
    expect(await tokens.find(record.token_id)).toEqual({ ...record, ...changed });
  });
});

describe("the time-to-live deletes a token", () => {
  test("never while it has no end", async () => {
    expect(await deleteAtOf(await stored())).toBeUndefined();
  });

  test("90 days after its end, in whole seconds, however it ends", async () => {
    const expires_at = "2099-01-01T00:00:00.999Z";
    const expiring = await stored({ expires_at });
    expect(await deleteAtOf(expiring)).toBe(ninetyDaysAfter(expires_at));
    expect(await deleteAtOf(expiring)).toBe(String(Date.UTC(2099, 3, 1) / 1000));

    const change = rotation();
    await tokens.rotate(expiring, change, noteOf("rotated"));
    expect(await deleteAtOf(expiring)).toBe(ninetyDaysAfter(change.expires_at));

    const by = revocation();
    await tokens.revoke(expiring.token_id, by, author);
    expect(await deleteAtOf(expiring)).toBe(ninetyDaysAfter(by.revoked_at));
  });
});

describe("a use of a token", () => {
  const lastUse = async ({ token_id }: TokenRecord) => (await tokens.find(token_id))?.last_used_at;

  test("is recorded, and replaced by a later one", async () => {
    const record = await stored();
    const [first, second] = [inMs(-hourMs), inMs(0)];
    await tokens.recordUse(record.token_id, first);
    expect(await tokens.find(record.token_id)).toEqual({ ...record, ...changed, last_used_at: first });
    await tokens.recordUse(record.token_id, second);
    expect(await lastUse(record)).toBe(second);
  });

  test("does not replace a later one that was recorded before it", async () => {
    const record = await stored();
    const now = inMs(0);
    await tokens.recordUse(record.token_id, now);
    await tokens.recordUse(record.token_id, inMs(-hourMs));
    expect(await lastUse(record)).toBe(now);
  });

  test("does not recreate a record that is gone", async () => {
    await tokens.recordUse("gone", inMs(0));
    expect(await tokens.find("gone")).toBeUndefined();
  });
});

describe("an invitation", () => {
  const redemption = (expires_at: string | null) => ({
    secret_hash: newToken().record.secret_hash,
    redeemed_at: inMs(0),
    repeat_nonce: newNonce(),
    expires_at,
  });

  test("keeps what its client has asked for", async () => {
    const invitation = await stored(newInvitation().record);
    const request = JSON.stringify(exampleRequest);
    await tokens.request(invitation, { request }, noteOf("requested"));
    expect(await tokens.find(invitation.token_id)).toEqual({ ...invitation, ...changed, request });
  });

  test("becomes a token with another secret and its own end, and its time-to-live follows that", async () => {
    const expires_at = inMs(30 * dayMs);
    const invitation = await stored(newInvitation({ token_expires_at: expires_at }).record);
    const { token_expires_at: _, ...kept } = invitation;
    const change = redemption(expires_at);
    expect(await made(tokens.redeem(invitation, change, author))).toEqual({ ...kept, ...changed, ...change });
    expect(await deleteAtOf(invitation)).toBe(ninetyDaysAfter(expires_at));
  });

  test("becomes a token without an end, which is kept", async () => {
    const { expires_at: _, ...invitation } = await stored(newInvitation().record);
    await tokens.redeem(invitation, redemption(null), author);
    expect(await tokens.find(invitation.token_id)).not.toHaveProperty("expires_at");
    expect(await deleteAtOf(invitation)).toBeUndefined();
  });
});

describe("the history of a token", () => {
  test("has each of its changes, and who made it", async () => {
    const invitation = await stored(newInvitation().record);
    const current = async () => (await tokens.find(invitation.token_id)) ?? invitation;
    const redemption = { secret_hash: invitation.secret_hash, redeemed_at: inMs(0), repeat_nonce: newNonce() };
    await tokens.request(await current(), { request: JSON.stringify(exampleRequest) }, noteOf("requested"));
    await tokens.redeem(await current(), { ...redemption, expires_at: null }, author);
    await tokens.rotate(await current(), rotation(), noteOf("rotated"));
    await tokens.revoke(invitation.token_id, revocation(), author);

    const { entries = [] } = (await tokens.history(invitation.token_id)) ?? {};
    expect(changesIn(entries)).toEqual(
      ["issued", "requested", "redeemed", "rotated", "revoked"].map((kind) => ({ kind, author })),
    );
  });

  test("does not exist if the token does not", async () => {
    expect(await tokens.history("absent")).toBeUndefined();
  });

  test("keeps ten entries when it is full, and the token can still be changed", async () => {
    const { token_id } = await stored();
    const change = (comment: string) => ({ comment, updated_at: inMs(0), updated_by: "alice" });
    for (let changes = 1; changes < mostEntries; changes += 1)
      await tokens.update(token_id, change(`${changes}`), noteOf("updated"));
    const seen = await tokens.find(token_id);
    expect(await made(tokens.update(token_id, change("last"), noteOf("updated"), seen))).toMatchObject({
      comment: "last",
    });
    const { entries = [], dropped } = (await tokens.history(token_id)) ?? {};
    expect({ kept: entries.length, dropped }).toEqual({ kept: 10, dropped: mostEntries + 1 - 10 });
  });
});

test("the value that a token's text was derived from is removed when the token is rotated or revoked", async () => {
  const [rotated, revoked] = [await stored({ repeat_nonce: newNonce() }), await stored({ repeat_nonce: newNonce() })];
  expect(await made(tokens.rotate(rotated, rotation(), noteOf("rotated")))).not.toHaveProperty("repeat_nonce");
  expect(await made(tokens.revoke(revoked.token_id, revocation(), author))).not.toHaveProperty("repeat_nonce");
});

test("a new token never takes the place of another one", async () => {
  const record = await stored();
  const other = { ...newToken().record, token_id: record.token_id };
  expect(await apiErrorOf(tokens.insert(other, noteOf("issued")))).toMatchObject({
    code: "unavailable",
    cause: { message: "There is a different token with the id of a new one." },
  });
  expect(await tokens.find(record.token_id)).toEqual(record);
});

test("settling a token moves the time of its last change, even if that was just now", async () => {
  const record = await stored();
  const { changed_at = "" } = (await tokens.settle(record.token_id)) ?? {};
  expect(changed_at > String(record.changed_at)).toBe(true);
});
