import { describe, expect, test } from "vitest";
import type { Token } from "../../web/admin/api/types.ts";
import {
  confirmedMove,
  expiryOf,
  hasMoved,
  pendingRequest,
  statusOf,
  type TokenStatus,
} from "../../web/admin/pages/tokens/token/token-status.ts";
import { exampleInvitation, exampleRequest, exampleToken, inMinutes, now } from "./record-examples.ts";

const waiting = exampleRequest();
const late = exampleRequest({ expires_at: inMinutes(0) });
const rejected = exampleRequest({ decision: "rejected", decided_at: inMinutes(-1), decided_by: "admin" });
const move = exampleRequest({ for: "move" });
const moved = { request: move, rotated_by: `token:${exampleToken().token_id}:${move.ip}` };
const ended = { expires_at: inMinutes(0), redeemed_at: null };
const awaiting = { state: "awaiting_confirmation" } as const;

test.each<[string, Token, TokenStatus, request?: Token["request"]]>([
  ["an invitation that nobody has used", exampleInvitation(), "invited"],
  ["one whose client waits", exampleInvitation({ ...awaiting, request: waiting }), "awaiting_confirmation", waiting],
  ["one whose client has waited too long", exampleInvitation({ ...awaiting, request: late }), "invited"],
  ["one whose client was rejected", exampleInvitation({ request: rejected }), "invited"],
  ["one that has ended since it was loaded", exampleInvitation({ invitation: ended, request: waiting }), "expired"],
  ["one that was revoked", exampleInvitation({ request: waiting, state: "revoked" }), "revoked"],
  ["one whose token would have ended, had it begun", exampleInvitation({ expires_at: inMinutes(-1) }), "invited"],
  ["a token that was an invitation", exampleToken({ request: waiting }), "active"],
  ["a token that asks to move", exampleToken({ request: move }), "active", move],
  ["one that has ended since it was loaded", exampleToken({ request: move, expires_at: inMinutes(0) }), "expired"],
  ["one with a successor", exampleToken({ request: move, successor_id: "x" }), "rotated"],
  ["one whose client has moved", exampleToken({ ...moved, state: "expired" }), "moved"],
  ["one whose client has moved since it was loaded", exampleToken({ ...moved, expires_at: inMinutes(0) }), "moved"],
])("the status and the pending request are correct for %s", (_, token, status, request) => {
  expect(statusOf(token, now)).toBe(status);
  expect(pendingRequest(token, now)).toBe(request);
});

describe("the end of a token", () => {
  const end = inMinutes(100_000);
  test.each([
    ["that of the token which an invitation becomes", exampleInvitation({ expires_at: end }), end],
    [
      "none if it never became one",
      exampleInvitation({ expires_at: end, state: "expired", invitation: ended }),
      undefined,
    ],
    ["none if it was revoked", exampleToken({ expires_at: end, state: "revoked" }), undefined],
    ["in the past if it has ended", exampleToken({ expires_at: inMinutes(-1) }), inMinutes(-1)],
    ["never if it has none", exampleToken(), null],
  ])("is %s", (_, token, expiry) => {
    expect(expiryOf(token, now)).toBe(expiry);
  });
});

test.each([
  [`token:${exampleToken().token_id}:${move.ip}`, true],
  [`token:${exampleToken().token_id}:198.51.100.7`, false],
  ["admin@example.com", false],
])(
  "a token counts as moved only if its client took the successor at the confirmed address: %s",
  (rotated_by, moved) => {
    expect(hasMoved(exampleToken({ request: move, rotated_by }))).toBe(moved);
  },
);

test.each([
  ["as long as the client has time to complete it", {}, { ip: move.ip, until: inMinutes(14) }],
  ["not after that", { decided_at: inMinutes(-15) }, undefined],
  ["not before somebody has decided", { decision: null, decided_at: null }, undefined],
  ["not if it was rejected", { decision: "rejected" }, undefined],
  ["not for an invitation", { for: "invitation" }, undefined],
] as const)("a confirmed move is displayed %s", (_, fields, shown) => {
  const request = {
    ...move,
    decision: "confirmed",
    decided_at: inMinutes(-1),
    decided_by: "admin",
    ...fields,
  } as const;
  expect(confirmedMove(exampleToken({ request }), now)).toEqual(shown);
});
