import { describe, expect, test } from "vitest";
import {
  isOutstanding,
  nextInTurn,
  pendingOf,
  watchMs,
} from "../../../../../web/pages/api-settings/confirmations/outstanding.ts";
import { exampleRequest, exampleToken } from "../list/example-token.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const inMinutes = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
const invitation = { expires_at: inMinutes(60), redeemed_at: null };
const waiting = exampleRequest({ requested_at: inMinutes(-5), expires_at: inMinutes(10) });
const confirmed = { ...waiting, decision: "confirmed", decided_at: inMinutes(-1), decided_by: "admin" } as const;

describe("the tokens of which something is expected soon", () => {
  test("are invitations whose client calls twice, and moves that wait for a decision", () => {
    const outstanding = [
      exampleToken({ state: "invited", ip: null, invitation }),
      exampleToken({ state: "awaiting_confirmation", ip: null, invitation, request: waiting }),
      exampleToken({ state: "invited", invitation, request: confirmed }),
      exampleToken({ request: { ...waiting, for: "move" } }),
    ];
    const others = [
      exampleToken(),
      exampleToken({ state: "invited", invitation }),
      exampleToken({ state: "invited", ip: null, invitation: { ...invitation, expires_at: inMinutes(-1) } }),
      exampleToken({ invitation: { ...invitation, redeemed_at: inMinutes(-2) }, request: confirmed }),
      exampleToken({ request: { ...confirmed, for: "move" } }),
    ];
    expect(outstanding.map((token) => isOutstanding(token, now))).toEqual(outstanding.map(() => true));
    expect(others.map((token) => isOutstanding(token, now))).toEqual(others.map(() => false));
    expect([...outstanding, ...others].map((token) => watchMs(token, now))).toEqual([
      ...outstanding.map(() => 3_000),
      ...[30_000, 30_000, false, 30_000, 30_000],
    ]);
  });

  test("take turns, so that each is looked at however many there are", () => {
    const ids = ["d", "b", "a", "c"];
    expect(nextInTurn(ids, "", 3)).toEqual(["a", "b", "c"]);
    expect(nextInTurn(ids, "c", 3)).toEqual(["d", "a", "b"]);
    expect(nextInTurn(ids, "d", 3)).toEqual(["a", "b", "c"]);
    expect(nextInTurn(["b"], "a", 3)).toEqual(["b"]);
    expect(nextInTurn([], "a", 3)).toEqual([]);
  });
});

describe("the requests for confirmation", () => {
  test("are in the order of arrival, so that a new one leaves the others in their places", () => {
    const asked = (minutes: number) =>
      exampleToken({ request: { ...waiting, for: "move", requested_at: inMinutes(minutes) } });
    const [first, second, third] = [asked(-9), asked(-5), asked(-1)];
    expect(pendingOf([third, first, exampleToken(), second], now).map(({ token }) => token)).toEqual([
      first,
      second,
      third,
    ]);
  });
});
