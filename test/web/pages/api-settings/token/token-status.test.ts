import { describe, expect, test } from "vitest";
import type { Token } from "../../../../../web/api/types.ts";
import {
  expiryOf,
  hasMoved,
  pendingRequest,
  statusOf,
  type TokenStatus,
} from "../../../../../web/pages/api-settings/token/token-status.ts";
import { exampleRequest, exampleToken } from "../list/example-token.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const inMinutes = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

const invited = (fields: Partial<Token> = {}): Token =>
  exampleToken({ state: "invited", ip: null, invitation: { expires_at: inMinutes(60), redeemed_at: null }, ...fields });
const waiting = exampleRequest({ requested_at: inMinutes(-5), expires_at: inMinutes(10) });
const late = exampleRequest({ requested_at: inMinutes(-15), expires_at: inMinutes(0) });
const rejected = { ...waiting, decision: "rejected", decided_at: inMinutes(-1), decided_by: "admin" } as const;

describe("the status of a token", () => {
  test.each<[string, Token, TokenStatus]>([
    ["an invitation that nobody has used", invited(), "invited"],
    ["one whose client waits", invited({ state: "awaiting_confirmation", request: waiting }), "awaiting_confirmation"],
    ["one whose client has waited too long", invited({ state: "awaiting_confirmation", request: late }), "invited"],
    ["one whose client was rejected", invited({ request: rejected }), "invited"],
    [
      "one that has ended since it was loaded",
      invited({ invitation: { expires_at: inMinutes(0), redeemed_at: null } }),
      "expired",
    ],
    ["one whose token would have ended, had it begun", invited({ expires_at: inMinutes(-1) }), "invited"],
    ["a token that asks to move", exampleToken({ request: { ...waiting, for: "move" } }), "active"],
    ["a token that has ended since it was loaded", exampleToken({ expires_at: inMinutes(0) }), "expired"],
    ["a token with a successor", exampleToken({ successor_id: "01M7ZZZZZZ0000000000000001" }), "rotated"],
  ])("is right for %s", (_, token, status) => {
    expect(statusOf(token, now)).toBe(status);
  });
});

describe("a request for confirmation", () => {
  test("is pending until it is decided or too old, or the invitation or the token has ended or was rotated", () => {
    const move = { ...waiting, for: "move" } as const;
    const pending = [invited({ state: "awaiting_confirmation", request: waiting }), exampleToken({ request: move })];
    const settled = [
      invited(),
      invited({ state: "awaiting_confirmation", request: late }),
      invited({ request: rejected }),
      invited({ request: waiting, state: "revoked" }),
      invited({ request: waiting, invitation: { expires_at: inMinutes(-1), redeemed_at: null } }),
      exampleToken({ request: waiting }),
      exampleToken({ request: move, expires_at: inMinutes(-1) }),
      exampleToken({ request: move, successor_id: "01M7ZZZZZZ0000000000000001" }),
    ];
    expect(pending.map((token) => pendingRequest(token, now))).toEqual([waiting, move]);
    expect(settled.flatMap((token) => pendingRequest(token, now) ?? [])).toEqual([]);
  });
});

describe("the end of a token", () => {
  test("is that of the token which an invitation becomes, and none if it never became one or was revoked", () => {
    const end = inMinutes(100_000);
    const ended = { expires_at: inMinutes(-1), redeemed_at: null };
    expect(expiryOf(invited({ expires_at: end }), now)).toBe(end);
    expect(expiryOf(invited({ expires_at: end, state: "expired", invitation: ended }), now)).toBeUndefined();
    expect(expiryOf(exampleToken({ expires_at: end, state: "revoked" }), now)).toBeUndefined();
    expect(expiryOf(exampleToken({ expires_at: inMinutes(-1) }), now)).toBe(inMinutes(-1));
    expect(expiryOf(exampleToken(), now)).toBeNull();
  });
});

describe("a token", () => {
  test("has moved if its client took the successor at the confirmed address, and not if it was rotated meanwhile", () => {
    const request = { ...waiting, for: "move" } as const;
    const { token_id } = exampleToken();
    expect(hasMoved(exampleToken({ request, rotated_by: `token:${token_id}:${request.ip}` }))).toBe(true);
    expect(hasMoved(exampleToken({ request, rotated_by: `token:${token_id}:198.51.100.7` }))).toBe(false);
    expect(hasMoved(exampleToken({ request, rotated_by: "admin@example.com" }))).toBe(false);
  });
});
