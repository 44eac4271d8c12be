import { describe, expect, test, vi } from "vitest";
import { succeed } from "../../../../lambdas/resources/tokens/succession.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { generateTokenText, hashSecret } from "../../../../lambdas/resources/tokens/token-text.ts";
import { absentId, dayMs, hourMs, inMs, newToken } from "../../../../tools/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { useTokenStore } from "../../support/token-store.ts";

const { store, stored, find, lastChange } = useTokenStore();
const ip = "198.51.100.7";
const now = inMs(0);
const afterNow = (milliseconds: number) => new Date(Date.parse(now) + milliseconds).toISOString();

const issue = (fields: Partial<TokenRecord> = {}) => stored(newToken({ ip, ...fields }).record);

const terms = () => ({ text: generateTokenText(), ip, by: "client", author, now, graceSeconds: 60 });

const successorOf = async (old: TokenRecord, more: Partial<Parameters<typeof succeed>[2]> = {}) => {
  const succession = await succeed(store(), old, { ...terms(), ...more });
  if (!succession.made) throw new Error("the token was not rotated");
  return succession.successor;
};

describe("a successor", () => {
  test("has its own text, and the terms and the allowance of the old token", async () => {
    const old = await issue({ comment: "billing sync" });
    const text = generateTokenText();

    expect(await successorOf(old, { text })).toStrictEqual({
      token_id: text.token_id,
      secret_hash: hashSecret(text.secret),
      ip,
      comment: "billing sync",
      issued_at: now,
      issued_by: "client",
      predecessor_id: old.token_id,
      limit_id: old.token_id,
    });
    const details = { predecessor_id: old.token_id, ip };
    expect(await lastChange(text.token_id)).toMatchObject({ kind: "succeeded", author, details });
  });

  test("has the old token's limit, its shared allowance and its dismissed addresses", async () => {
    const dismissed = [{ ip: "203.0.113.9", dismissed_at: now, dismissed_by: "admin" }];
    const shared = { rate_limit: 60, limit_id: absentId(), dismissed_addresses: JSON.stringify(dismissed) };

    expect(await successorOf(await issue(shared))).toMatchObject(shared);
  });

  test("keeps the value from which its text was derived", async () => {
    const repeat_nonce = "AAAAAAAAAAAAAAAAAAAAAA";
    expect(await successorOf(await issue(), { repeat_nonce })).toMatchObject({ repeat_nonce });
  });

  test("lives as long as the old token would have from its beginning to its end", async () => {
    const old = await issue({ issued_at: afterNow(-dayMs), expires_at: afterNow(9 * dayMs) });
    expect(await successorOf(old)).toMatchObject({ expires_at: afterNow(10 * dayMs) });
  });

  test("ends when the old token would have, if an admin has brought that forward, and so do its own successors", async () => {
    const end_set_at = afterNow(-hourMs);
    const expires_at = afterNow(dayMs);
    const first = await successorOf(await issue({ issued_at: afterNow(-30 * dayMs), expires_at, end_set_at }));
    const second = await successorOf(await find(first.token_id), { now: afterNow(hourMs) });
    for (const successor of [first, second]) expect(successor).toMatchObject({ expires_at, end_set_at });
  });

  test("does not live beyond the last time that can be stored", async () => {
    const old = await issue({ issued_at: afterNow(-dayMs), expires_at: "9999-12-31T23:59:59.000Z" });
    expect(await successorOf(old)).toMatchObject({ expires_at: "9999-12-31T23:59:59.999Z" });
  });
});

describe("the old token", () => {
  test("is rotated: it ends after its grace period, and its history names its successor", async () => {
    const old = await issue();
    const { token_id: successor_id } = await successorOf(old);

    const rotation = { expires_at: afterNow(60_000), rotated_at: now, rotated_by: "client", successor_id };
    expect(await find(old.token_id)).toMatchObject(rotation);
    const details = { successor_id, expires_at: rotation.expires_at };
    expect(await lastChange(old.token_id)).toMatchObject({ kind: "rotated", author, details });
  });

  test("is moved, if its successor has another address", async () => {
    const old = await issue();
    const { token_id: successor_id } = await successorOf(old, { ip: "203.0.113.9" });

    const details = { successor_id, ip: "203.0.113.9" };
    expect(await lastChange(old.token_id)).toMatchObject({ kind: "moved", author, details });
  });

  test.for([
    [59_999, 59_999],
    [hourMs, 60_000],
  ] as const)("that would end after %i ms ends after %i ms", async ([endsAfter, ended]) => {
    const old = await issue({ expires_at: afterNow(endsAfter) });
    await successorOf(old);
    expect(await find(old.token_id)).toMatchObject({ expires_at: afterNow(ended) });
  });
});

describe("a succession that fails", () => {
  const failure = new Error("no database");

  test("because the old token was revoked meanwhile revokes the successor, and returns the token as it is", async () => {
    const old = await issue();
    await store().revoke(old.token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
    const request = terms();

    expect(await succeed(store(), old, request)).toEqual({ made: false, current: await find(old.token_id) });
    expect(await find(request.text.token_id)).toMatchObject({ revoked_at: expect.any(String), revoked_by: "client" });
  });

  test("because the old token is gone revokes the successor", async () => {
    const request = terms();
    expect(await succeed(store(), newToken({ ip }).record, request)).toEqual({ made: false });
    expect(await find(request.text.token_id)).toHaveProperty("revoked_at");
  });

  test("because the database does revokes the successor, and returns the failure", async () => {
    const old = await issue();
    const request = terms();
    const rotate = () => Promise.reject(failure);

    expect(await succeed({ ...store(), rotate }, old, request)).toEqual({
      made: false,
      current: { ...old, changed_at: expect.any(String) },
      failure,
    });
    expect(await find(request.text.token_id)).toHaveProperty("revoked_at");
  });

  test("twice revokes nothing, because the old token may have ended", async () => {
    const request = terms();
    const rotate = () => Promise.reject(new Error("first"));
    const settle = () => Promise.reject(failure);

    await expect(succeed({ ...store(), rotate, settle }, await issue(), request)).rejects.toBe(failure);
    expect(await find(request.text.token_id)).not.toHaveProperty("revoked_at");
  });

  test("only in its response has been made", async () => {
    const old = await issue();
    const request = terms();
    const revoke = vi.fn(store().revoke);
    const rotate: TokenStore["rotate"] = async (...change) => {
      await store().rotate(...change);
      throw failure;
    };

    expect(await succeed({ ...store(), rotate, revoke }, old, request)).toMatchObject({
      made: true,
      successor: { token_id: request.text.token_id },
    });
    expect(revoke).not.toHaveBeenCalled();
  });

  test("because another succession came first leaves only the successor of the other one", async () => {
    const old = await issue();
    const winner = await successorOf(old);
    const request = terms();

    expect(await succeed(store(), old, request)).toMatchObject({
      made: false,
      current: { successor_id: winner.token_id },
    });
    expect(await find(request.text.token_id)).toHaveProperty("revoked_at");
    expect(await find(winner.token_id)).not.toHaveProperty("revoked_at");
  });
});
