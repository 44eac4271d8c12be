import { describe, expect, onTestFinished, test, vi } from "vitest";
import { rotateOwnToken } from "../../../../../lambdas/resources/tokens/by-client/client-succession.ts";
import type { TokenRecord, TokenStore } from "../../../../../lambdas/resources/tokens/token-store.ts";
import { parseTokenText } from "../../../../../lambdas/resources/tokens/token-text.ts";
import { absentId, hourMs, inMs, newToken } from "../../../../../tools/support/tokens.ts";
import { author } from "../../../../support/authors.ts";
import { holderOf, refusal, useTokenStore, wrongAddress } from "../../../support/token-store.ts";

const { store, stored, find, lastChange } = useTokenStore();
const [home, away] = ["198.51.100.7", "203.0.113.50"];
const graceSeconds = 60;

const issue = (fields: Partial<TokenRecord> = {}) => stored(newToken({ ip: home, ...fields }).record);

const rotate = (token: TokenRecord, ip = home, tokens: TokenStore = store(), grace = graceSeconds) =>
  rotateOwnToken(holderOf(token, ip), grace, tokens);

const leak = { facts: wrongAddress };

describe("a client that rotates its token from its address", () => {
  test("gets a successor for this address, and the old token ends after its grace period", async () => {
    const old = await issue();
    const outcome = await rotate(old);

    const { successor_id = "", rotated_at = "", expires_at = "", rotated_by } = await find(old.token_id);
    const { changed_at: _, ...successor } = await find(successor_id);
    expect(outcome).toEqual({
      outcome: "issued",
      token: successor,
      text: expect.any(String),
      oldEndsAt: expires_at,
    });
    expect(parseTokenText((outcome as { text: string }).text)).toMatchObject({ token_id: successor_id });
    expect(successor).toMatchObject({ ip: home, repeat_nonce: expect.any(String), issued_by: rotated_by });
    expect(rotated_by).toBe(`token:${old.token_id}:${home}`);
    expect(Date.parse(expires_at) - Date.parse(rotated_at)).toBe(graceSeconds * 1000);
    expect((await lastChange(old.token_id)).author).toEqual(holderOf(old, home).author);
  });

  test("gets the same successor again if the response was lost, or if the calls were made at the same time", async () => {
    const old = await issue();
    const { text } = (await rotate(old)) as { text: string };

    expect(await rotate(await find(old.token_id))).toMatchObject({ outcome: "issued", text });
    expect(await rotate(old)).toMatchObject({ outcome: "issued", text });
  });

  test.for([
    [0, 1, "ends it at once"],
    [58, 59, "ends it sooner"],
    [59, 60, "changes nothing"],
    [604_800, 60, "changes nothing"],
  ] as const)(
    "again a second later, with a grace of %i s instead of 60 s, has it end after %i s: it %s",
    async ([again, endsAfter]) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      const old = await issue();
      const { text } = (await rotate(old)) as { text: string };
      const { rotated_at, rotated_by } = await find(old.token_id);

      const oldEndsAt = inMs(endsAfter * 1000);
      vi.advanceTimersByTime(1000);
      expect(await rotate(old, home, store(), again)).toMatchObject({ outcome: "issued", text, oldEndsAt });
      const kept = { rotated_at, rotated_by, expires_at: oldEndsAt };
      expect(await find(old.token_id)).toMatchObject(kept);
      expect(await lastChange(old.token_id)).toMatchObject({ kind: "rotated", details: { expires_at: oldEndsAt } });
      expect(await rotate(old)).toMatchObject({ text, oldEndsAt });
      expect(await find(old.token_id)).toMatchObject(kept);
    },
  );

  test("gets the error of a database that fails", async () => {
    const failure = new Error("no database");
    const failing = { ...store(), rotate: () => Promise.reject(failure) };
    await expect(rotate(await issue(), home, failing)).rejects.toBe(failure);
  });
});

describe("a client that rotates its token is refused", () => {
  test("with another code for a token that has expired, was replaced or was revoked", async () => {
    const expired = await issue({ expires_at: inMs(-1) });
    const replaced = await issue({ expires_at: inMs(-1), successor_id: absentId() });
    const revoked = await issue({ revoked_at: inMs(-1), revoked_by: "admin" });

    expect(await rotate(expired)).toEqual(refusal("token_expired", expired));
    expect(await rotate(replaced)).toEqual(refusal("token_expired", replaced));
    expect(await rotate(revoked)).toEqual(refusal("token_revoked", revoked));
  });

  test("with the id of the successor, if the successor's text cannot be repeated", async () => {
    const { record: successor } = newToken({ ip: home });
    await store().insert(successor, { kind: "succeeded", author });
    const rotated = await issue({ expires_at: inMs(hourMs), successor_id: successor.token_id });

    const values = { successor_id: successor.token_id };
    expect(await rotate(rotated)).toEqual(refusal("token_already_rotated", rotated, { values }));
  });

  test("from another address, which is a sign of a leak", async () => {
    const active = await issue();
    const rotated = await issue({ expires_at: inMs(hourMs), successor_id: absentId() });

    for (const token of [active, rotated]) {
      expect(await rotate(token, away)).toEqual(refusal("ip_not_allowed", token, { values: { ip: away }, ...leak }));
    }
  });

  test("from another address as from its own, if the token has ended", async () => {
    for (const successor of [{}, { successor_id: absentId() }]) {
      const ended = await issue({ expires_at: inMs(-1), ...successor });
      expect(await rotate(ended, away)).toMatchObject({ outcome: "refused", code: "token_expired", options: leak });
    }
    const revoked = await issue({ revoked_at: inMs(-1), revoked_by: "admin" });
    expect(await rotate(revoked, away)).toMatchObject({ code: "token_revoked", options: leak });
  });
});
