import { expect, test } from "vitest";
import type { TokenChangeKind } from "../../../../lambdas/domain/history/change-kinds.ts";
import { lifeCycle, unrotated, working } from "../../../../lambdas/domain/tokens/life-cycle.ts";
import { type Phase, phases } from "../../../../lambdas/domain/tokens/token-state.ts";
import type { TokenChange, TokenRecord } from "../../../../lambdas/domain/tokens/token-store.ts";
import { newNonce } from "../../../../lambdas/domain/tokens/token-value.ts";
import { exampleTrust } from "../../../../lambdas/domain/tokens/tokens-table.ts";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import { absentId, dayMs, hourMs, inMs, newToken, requestField } from "../../../kit/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import { loseNextResponse } from "../../support/client-requests.ts";
import { stopClock } from "../../support/clock.ts";
import { fullRecord } from "../../support/full-record.ts";
import { apiErrorOf } from "../../support/outcomes.ts";
import { openTokenStore, recordIn } from "../../support/stores.ts";

const { store: tokens, client, itemOf, put, find, stored, issue, lastChange } = await openTokenStore();

const by = { updated_at: inMs(0), updated_by: "admin" };
const made = { made: true };
const refused = { made: false };

interface Write {
  kind: TokenChangeKind;
  /** The token phases in which the write is made. */
  from: readonly Phase[];
  /** The fields that the write changes. `null` removes a field. */
  change: { [Name in keyof TokenRecord]?: TokenRecord[Name] | null | undefined };
  /** Whether the write is only made to the record that was read. */
  needsSeen?: true;
  make(seen: TokenRecord): Promise<TokenChange>;
}

const update = (change: Parameters<typeof tokens.update>[1], from = working): Write => ({
  kind: "updated",
  from,
  change: { ...change, ...by },
  make: ({ token_id }) => tokens.update(token_id, { ...change, ...by }, noteOf("updated")),
});
const redeem = (expires_at: string | null): Write => {
  const { secret_hash } = newToken().record;
  const change = { secret_hash, redeemed_at: inMs(0), repeat_nonce: newNonce(), expires_at };
  return {
    kind: "redeemed",
    // A client's request is not part of the condition.
    from: [...lifeCycle.redeem.from, "awaiting_confirmation"],
    change: { ...change, token_expires_at: null },
    needsSeen: true,
    make: (seen) => tokens.redeem(seen, change, author),
  };
};
const request = { request: requestField({ ip: "192.0.2.9" }) };
const rotation = { expires_at: inMs(hourMs / 2), rotated_at: inMs(0), rotated_by: "admin", successor_id: absentId() };
const another = { ...rotation, successor_id: absentId() };
const revocation = { revoked_at: inMs(0), revoked_by: "admin" };
const seenUpdate = { dismissed_addresses: null, ...by };

const writes: Record<string, Write> = {
  "a comment and a limit": update({ comment: "", rate_limit: 100_000 }),
  "no limit": update({ rate_limit: null }),
  "another end": update({ expires_at: inMs(2 * hourMs), end_set_at: inMs(0) }, unrotated),
  "no end": update({ expires_at: null, end_set_at: null }, unrotated),
  "an update of what was seen": {
    ...update({ dismissed_addresses: null }),
    needsSeen: true,
    make: (seen) => tokens.update(seen.token_id, seenUpdate, noteOf("updated"), seen),
  },
  "a redemption": redeem(inMs(30 * dayMs)),
  "a redemption without an end": redeem(null),
  "a request": {
    kind: "requested",
    from: [...lifeCycle.ask.from, ...lifeCycle.ask_to_move.from, "move_confirmed"],
    change: request,
    needsSeen: true,
    make: (seen) => tokens.request(seen, request, noteOf("requested")),
  },
  "a rotation": {
    kind: "rotated",
    from: lifeCycle.rotate.from,
    change: { ...another, repeat_nonce: null },
    needsSeen: true,
    make: (seen) => tokens.rotate(seen, another, noteOf("rotated")),
  },
  "a rotation to the same successor": {
    kind: "rotated",
    from: [...lifeCycle.rotate.from, ...lifeCycle.shorten.from],
    change: { ...rotation, repeat_nonce: null },
    needsSeen: true,
    make: (seen) => tokens.rotate(seen, rotation, noteOf("rotated")),
  },
  "a revocation": {
    kind: "revoked",
    from: lifeCycle.revoke.from,
    change: { ...revocation, repeat_nonce: null },
    make: ({ token_id }) => tokens.revoke(token_id, revocation, author),
  },
};
const written = Object.entries(writes).map(([name, write]) => ({ name, ...write }));

/** Returns a stored token in a phase, with every field that a write may have to keep. */
const seenIn = (phase: Phase) => {
  const kept = {
    client: "ACME",
    rate_limit: 5,
    repeat_nonce: newNonce(),
    predecessor_id: absentId(),
    comment: "e\u0301 😀 \u202E",
  };
  const { successor_id } = rotation;
  const succeeded = ["rotated", "replaced"].includes(phase) && { successor_id };
  return stored(recordIn(phase, { ...kept, ...succeeded, token_expires_at: inMs(dayMs) }));
};

const changed = { changed_at: expect.stringMatching(/Z$/) };
/** Returns a record after a change. */
const withChange = (record: TokenRecord, change: Write["change"]) =>
  Object.fromEntries(Object.entries({ ...record, ...change, ...changed }).filter(([, value]) => value !== null));

const ninetyDaysAfter = (time: string): string => String(Math.floor(Date.parse(time) / 1000) + 7_776_000);
const deleteAtOf = async ({ token_id }: TokenRecord) => (await itemOf({ token_id })).delete_at?.N;

test.for(written)("performs $name only in the phases of its life cycle, and changes nothing else", async (write) => {
  for (const phase of Object.keys(phases) as Phase[]) {
    const seen = await seenIn(phase);
    const { made, token } = await write.make(seen);
    const now = await find(seen.token_id);
    expect(made, phase).toBe(write.from.includes(phase));
    expect(token, phase).toEqual(now);
    expect(now, phase).toEqual(made ? withChange(seen, write.change) : seen);
    if (made) expect(await lastChange(seen.token_id), phase).toMatchObject({ kind: write.kind, author });
    const end = made && write.kind === "revoked" ? revocation.revoked_at : now.expires_at;
    expect(await deleteAtOf(seen), `${phase}, 90 days after the end`).toBe(end && ninetyDaysAfter(end));
  }
});

test.for(written)("performs $name once if its response is lost", async ({ from: [phase = "active"], change, make }) => {
  const seen = await seenIn(phase);
  loseNextResponse(client);
  expect(await make(seen)).toMatchObject(made);
  expect(await find(seen.token_id)).toEqual(withChange(seen, change));
  expect((await tokens.history(seen.token_id))?.entries).toHaveLength(2);
});

test.for(written)("does not perform $name on an unknown token, and does not create the token", async ({ make }) => {
  const { record } = newToken();
  expect(await make(record)).toEqual({ made: false, token: undefined });
  expect(await tokens.find(record.token_id)).toBeUndefined();
});

test.for(written.filter(({ needsSeen }) => needsSeen))(
  "performs $name only on the record that was read, even if it was used since",
  async ({ from: [phase = "active"], make }) => {
    const [changed, used] = [await seenIn(phase), await seenIn(phase)];
    await tokens.recordUse(used.token_id, inMs(0));
    expect(await make(used)).toMatchObject(made);
    const settled = await tokens.settle(changed.token_id);
    // By this clock, every record has been unchanged for a long time.
    stopClock(10_000);
    expect(await make(changed)).toMatchObject(refused);
    expect(await find(changed.token_id)).toEqual(settled);
  },
);

test("returns a token as it was stored, even if the first response is lost", async () => {
  loseNextResponse(client);
  const { record } = newToken({ comment: "" });
  expect(await stored(record)).toEqual({ ...record, ...changed });
  expect(await tokens.find("absent")).toBeUndefined();
});

test("never overwrites a token with another token", async () => {
  const record = await issue();
  stopClock(10_000);
  const inserting = tokens.insert({ ...newToken().record, token_id: record.token_id }, noteOf("issued"));
  const cause = { message: "There is a different token with the id of a new one." };
  expect(await apiErrorOf(inserting)).toMatchObject({ code: "unavailable", cause });
  expect(await find(record.token_id)).toEqual(record);
});

test("treats a token whose expiry is the current millisecond as ended", async () => {
  const record = await issue({ expires_at: inMs(0) });
  expect(await tokens.rotate(record, rotation, noteOf("rotated"))).toMatchObject(refused);
});

test("settling a token updates the time of its last change, and nothing else", async () => {
  const record = await issue();
  const settled = await tokens.settle(record.token_id);
  expect(settled).toEqual({ ...record, ...changed });
  expect(String(settled?.changed_at) > String(record.changed_at)).toBe(true);
  expect((await tokens.history(record.token_id))?.entries).toHaveLength(1);
  expect(await tokens.settle("absent")).toBeUndefined();
});

test("replaces a token's use only with a later one, and removes the nonce of the token's value", async () => {
  const { repeat_nonce: _, ...record } = await issue({ repeat_nonce: newNonce() });
  const [first, second] = [inMs(-hourMs), inMs(0)];
  const uses = [
    { used_at: first, last_used_at: first },
    { used_at: second, last_used_at: second },
    { used_at: first, last_used_at: second },
  ];
  for (const { used_at, last_used_at } of uses) {
    await tokens.recordUse(record.token_id, used_at);
    expect(await find(record.token_id)).toEqual({ ...record, last_used_at });
  }
  await tokens.recordUse("gone", inMs(0));
  expect(await tokens.find("gone")).toBeUndefined();
});

test("a trust that replaces an ended one keeps none of its fields, and its tokens start at a later time", async () => {
  const ended = { ...fullRecord(), token_id: exampleTrust.token_id };
  await put(toItem({ ...ended }));
  const { made, token } = await tokens.trust(exampleTrust, noteOf("trusted"));
  const time = token?.changed_at;
  expect({ made, token }).toStrictEqual({ made, token: { ...exampleTrust, trusted_at: time, changed_at: time } });
  expect([made, String(time) > ended.trusted_at, String(time) > ended.changed_at]).toEqual([true, true, true]);
});

test("a trust is deleted 90 days after its latest end, or never without one", async () => {
  const trust = { ...exampleTrust, token_id: absentId() };
  await tokens.trust(trust, noteOf("trusted"));
  for (const expires_at of [inMs(dayMs), inMs(2 * dayMs), null]) {
    await tokens.changeTrust(await find(trust.token_id), { expires_at }, noteOf("trust_updated"));
    expect(await deleteAtOf(trust)).toBe(expires_at === null ? undefined : ninetyDaysAfter(expires_at));
  }
});
