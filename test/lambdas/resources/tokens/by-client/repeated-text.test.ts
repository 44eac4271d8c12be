import { describe, expect, test } from "vitest";
import { repeatedText } from "../../../../../lambdas/resources/tokens/by-client/client-changes.ts";
import type { TokenRecord } from "../../../../../lambdas/resources/tokens/token-store.ts";
import {
  deriveSecret,
  formatTokenText,
  hashSecret,
  newNonce,
  newTokenId,
} from "../../../../../lambdas/resources/tokens/token-text.ts";
import { absentId, newToken } from "../../../../../tools/support/tokens.ts";

const ip = "198.51.100.7";
const began = "2026-11-21T10:15:30.123Z";
const lastTime = "2026-11-21T10:30:30.122Z";

const repeat_nonce = newNonce();
const text = deriveSecret("secret", { token_id: newTokenId(), nonce: repeat_nonce });
const { record } = newToken({
  ip,
  token_id: text.token_id,
  secret_hash: hashSecret(text.secret),
  issued_at: began,
  repeat_nonce,
});

const repeat = (fields: Partial<TokenRecord>, { secret = "secret", from = ip, now = began } = {}) =>
  repeatedText({ ...record, ...fields }, { secret, ip: from }, now);

describe("the text of a token is repeated", () => {
  test("for less than 15 minutes", () => {
    expect(repeat({}, { now: lastTime })).toBe(formatTokenText(text));
    expect(repeat({}, { now: "2026-11-21T10:30:30.123Z" })).toBeUndefined();
  });

  test("from the redemption of an invitation on, and while a token that was rotated again still works", () => {
    const redeemed = { issued_at: "2026-01-01T00:00:00.000Z", redeemed_at: began };
    expect(repeat(redeemed, { now: lastTime })).toBe(formatTokenText(text));
    expect(repeat({ successor_id: absentId(), expires_at: lastTime })).toBe(formatTokenText(text));
  });
});

describe("the text of a token is not repeated", () => {
  test("if there is no token", () => {
    expect(repeatedText(undefined, { secret: "secret", ip }, began)).toBeUndefined();
  });

  test("for another secret, or from another address", () => {
    expect(repeat({}, { secret: "another" })).toBeUndefined();
    expect(repeat({}, { from: "203.0.113.9" })).toBeUndefined();
  });

  test("after its first use, which removes the nonce", () => {
    const { repeat_nonce: _, ...used } = record;
    expect(repeatedText(used, { secret: "secret", ip }, began)).toBeUndefined();
  });

  test.for<[string, Partial<TokenRecord>]>([
    ["expired", { expires_at: began }],
    ["revoked", { revoked_at: began, revoked_by: "admin" }],
  ])("if it is %s", ([, fields]) => {
    expect(repeat(fields)).toBeUndefined();
  });
});
