import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AddressRequest } from "../../../../../lambdas/domain/tokens/address-request.ts";
import {
  repeatedText,
  requestAddress,
  untilMade,
} from "../../../../../lambdas/domain/tokens/by-client/client-changes.ts";
import type { TokenStore } from "../../../../../lambdas/domain/tokens/token-store.ts";
import {
  deriveSecret,
  formatTokenValue,
  hashSecret,
  newNonce,
  newTokenId,
} from "../../../../../lambdas/domain/tokens/token-value.ts";
import { absentId, decided, inMs, newToken, requestField } from "../../../../kit/support/tokens.ts";
import { author } from "../../../../support/authors.ts";
import { apiErrorOf } from "../../../support/outcomes.ts";
import { away, elsewhere, home } from "../../../support/stores.ts";

const now = "2026-11-21T10:15:30.123Z";

describe("a client's step", () => {
  const { record } = newToken();
  const changed = { ...record, comment: "changed meanwhile" };

  test("runs once if its change succeeds, and again with the current record and time if another change came first", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const began = inMs(0);
    const step = vi.fn(async (seen: object, _now: string) => {
      vi.advanceTimersByTime(1);
      return seen === changed ? { outcome: "done" } : { current: changed };
    });
    expect(await untilMade<object>(record, step)).toEqual({ outcome: "done" });
    expect(step.mock.calls).toEqual([
      [record, began],
      [changed, inMs(-1)],
    ]);
  });

  test.for([
    ["after three tries", changed, 3],
    ["at once if the record is gone", undefined, 1],
  ] as const)("gives up %s", async ([, current, tries]) => {
    const step = vi.fn(async () => ({ current }));
    const cause = { message: "Other changes of the same token came first." };
    expect(await apiErrorOf(untilMade(record, step))).toMatchObject({ code: "unavailable", cause });
    expect(step).toHaveBeenCalledTimes(tries);
  });
});

describe("a token's value", () => {
  const lastTime = "2026-11-21T10:30:30.122Z";
  const repeat_nonce = newNonce();
  const text = deriveSecret("secret", { token_id: newTokenId(), nonce: repeat_nonce });
  const { token_id, secret } = text;
  // A later edit by an admin does not extend the time.
  const edited = { changed_at: lastTime, updated_at: lastTime };
  const { record } = newToken({ token_id, secret_hash: hashSecret(secret), issued_at: now, repeat_nonce, ...edited });
  const caller = { secret: "secret", ip: home };
  const redeemed = { ...record, issued_at: "2026-01-01T00:00:00.000Z", redeemed_at: now };
  const rotated = { ...record, successor_id: absentId(), expires_at: lastTime };

  test("is returned again within 15 minutes of issue or redemption, even after a rotation, while the token works", () => {
    for (const token of [record, redeemed, rotated])
      expect(repeatedText(token, caller, token === rotated ? now : lastTime)).toBe(formatTokenValue(text));
    expect(repeatedText(record, caller, "2026-11-21T10:30:30.123Z")).toBeUndefined();
  });

  const { repeat_nonce: _, ...used } = record;
  test.for([
    ["if there is no token", undefined, caller],
    ["for another secret", record, { ...caller, secret: "another" }],
    ["from another address", record, { ...caller, ip: away }],
    ["after its first use, which removes the nonce", used, caller],
    ["if it has expired", { ...record, expires_at: now }, caller],
    ["if it was revoked", { ...record, revoked_at: now, revoked_by: "admin" }, caller],
  ] as const)("is not returned again %s", ([, token, caller]) => {
    expect(repeatedText(token, caller, now)).toBeUndefined();
  });
});

describe("a request for an address", () => {
  const first = { ip: away, requested_at: now, first_at: now };

  /** Returns the outcome of a request after the previous one, in a store where another change comes first. */
  const ask = async (previous?: Partial<AddressRequest>) => {
    const { record } = newToken(previous && { request: requestField({ ...first, ...previous }) });
    const request = vi.fn<TokenStore["request"]>(async () => ({ made: false, token: record }));
    return { record, request, outcome: await requestAddress({ request }, record, { ip: away, author, now }) };
  };

  test("returns the current record and makes no change if another change came first", async () => {
    const { record, outcome } = await ask();
    expect(outcome).toEqual({ current: record });
  });

  test.for<[string, Partial<AddressRequest>, string, object, string]>([
    [
      "for an address that was rejected",
      decided("rejected"),
      "request_rejected",
      { values: { ip: away } },
      "rejected address",
    ],
    [
      "after too many, until the day is over",
      { attempts: 10, ip: elsewhere, first_at: "2026-11-20T10:16:00.000Z" },
      "too_many_requests",
      { headers: { "Retry-After": "30" } },
      "too many requests for confirmation",
    ],
  ])("is rejected with a warning %s", async ([, previous, code, options, warning]) => {
    const { record, request, outcome } = await ask(previous);
    const facts = { token_id: record.token_id, leak_signal: `right secret, ${warning}` };
    expect(outcome).toEqual({ outcome: "refused", code, options: { ...options, facts } });
    expect(request).not.toHaveBeenCalled();
  });
});
