import { describe, expect, test } from "vitest";
import type { Leak, Token, Trust } from "../../web/admin/api/types.ts";
import { attentionItems, idsByReason } from "../../web/admin/pages/tokens/attention/attention-items.ts";
import { watchMs } from "../../web/admin/pages/tokens/confirmations/outstanding.ts";
import {
  exampleInvitation,
  exampleRequest,
  exampleToken,
  exampleTrust,
  inDays,
  inMinutes,
  now,
} from "./record-examples.ts";

const leak = (fields: Partial<Leak> = {}): Leak => ({
  token_id: exampleToken().token_id,
  time: inDays(-1),
  source_ip: "203.0.113.1",
  addresses: ["203.0.113.1", "203.0.113.2"].map((source_ip) => ({
    source_ip,
    first_at: inDays(-2),
    last_at: inDays(-1),
  })),
  unlisted_at: null,
  ...fields,
});

const itemsOf = (tokens: Token[], leaks: Leak[] = [], trusts: Trust[] = []) =>
  attentionItems(tokens, { now, leaks: new Map(leaks.map((one) => [one.token_id, one])), trusts });

const kindsOf = (fields: Partial<Token>, leaks: Leak[] = []): string[] =>
  itemsOf([exampleToken(fields)], leaks).map(({ kind }) => kind);

const used = { issued_at: inDays(-300), last_used_at: inDays(-1) };
const rotated = { ...used, successor_id: "y", rotated_at: inDays(-2), expires_at: inDays(0.5) };
const invited: Partial<Token> = {
  state: "invited",
  issued_at: inDays(-0.6),
  invitation: { expires_at: inDays(0.4), redeemed_at: null },
};
const move = exampleRequest({ for: "move" });
const overdue = { state: "awaiting_confirmation", request: { ...move, expires_at: inMinutes(-1) } } as const;

describe("a token that needs attention", () => {
  test.each<[string, Partial<Token>, string[]]>([
    ["is in use and ends in 30 days", { ...used, expires_at: inDays(30) }, ["token_expires"]],
    ["is in use and ends in 31 days", { ...used, expires_at: inDays(31) }, []],
    ["has expired since it was loaded", { ...used, expires_at: inDays(-1) }, []],
    ["was rotated and is still used on its last day", rotated, ["rotation_unfinished"]],
    ["was rotated and not used since", { ...rotated, last_used_at: inDays(-3) }, []],
    ["was last used 91 days ago", { issued_at: inDays(-300), last_used_at: inDays(-91) }, ["token_unused"]],
    ["has not been redeemed for half of its time", invited, ["invitation_unused"]],
    ["was an invitation until now", { ...invited, invitation: { expires_at: inDays(-0.1), redeemed_at: null } }, []],
    ["has a client that asked to move", { ...used, request: move }, ["confirmation_waiting"]],
    ["had a request that has ended since it was loaded", { ...invited, issued_at: inDays(0), ...overdue }, []],
    ["is revoked", { ...used, state: "revoked", expires_at: inDays(3) }, []],
  ])("is one that %s", (_, fields, kinds) => {
    expect(kindsOf(fields)).toEqual(kinds);
  });
});

describe("a leak", () => {
  const dismissed = (ip: string, days: number) => ({ ip, dismissed_at: inDays(days), dismissed_by: "admin" });
  const one = [dismissed("203.0.113.1", 0)];
  const both = [dismissed("203.0.113.1", -4), dismissed("203.0.113.2", -2)];
  test.each([
    ["needs attention", [], null, true],
    ["needs attention as long as one address is not dismissed", one, null, true],
    ["needs none once all addresses are dismissed", both, null, false],
    ["needs attention after calls from addresses without a name", both, inDays(-1), true],
    ["needs none if a dismissal is newer than these", both, inDays(-3), false],
  ])("%s", (_, dismissed_addresses, unlisted_at, needsAttention) => {
    const kinds = kindsOf({ ...used, dismissed_addresses }, [leak({ unlisted_at })]);
    expect(kinds).toEqual(needsAttention ? ["token_leaked"] : []);
  });

  test("of an ended token needs no attention", () => {
    expect(kindsOf({ state: "revoked" }, [leak()])).toEqual([]);
  });
});

test.each<[string, Partial<Trust>, string[]]>([
  ["ends soon", { expires_at: inDays(20) }, ["trust_ends"]],
  ["has an issuer that cannot be reached", { unreachable_since: inDays(-2) }, ["issuer_unreachable"]],
  ["was used from an address that it does not name", { ip: "192.0.2.1" }, ["trust_leaked"]],
  ["may be used from any address by now", {}, []],
  ["has ended", { state: "ended", ip: "192.0.2.1", unreachable_since: inDays(-2) }, []],
])("a trust in a workload that needs attention is one that %s", (_, fields, kinds) => {
  const trust = exampleTrust(fields);
  expect(itemsOf([], [leak({ token_id: trust.trust_id })], [trust]).map(({ kind }) => kind)).toEqual(kinds);
});

describe("what needs attention", () => {
  const tokens: [token_id: string, Partial<Token>][] = [
    ["unused", { issued_at: inDays(-100) }],
    ["unused longer", { issued_at: inDays(-200) }],
    ["later", { ...used, expires_at: inDays(20) }],
    ["invited", invited],
    ["sooner", { ...used, expires_at: inDays(0.2) }],
    ["rotated", rotated],
    ["leaked", used],
    ["asked last", { ...used, request: move }],
    ["asked first", { ...used, request: { ...move, requested_at: inMinutes(-9) } }],
  ];
  const stock = tokens.map(([token_id, fields]) => exampleToken({ token_id, ...fields }));
  const items = itemsOf(stock, [leak({ token_id: "leaked" })]);

  test("is ordered by urgency: leaks, pending requests, earliest expiry, and unused tokens", () => {
    const ids = items.map((item) => "token" in item && item.token.token_id);
    expect(ids).toEqual([
      ...["leaked", "asked first", "asked last"],
      ...["sooner", "invited", "rotated", "later", "unused longer", "unused"],
    ]);
  });

  test("is counted by reason, and each reason links to its tokens", () => {
    const reasons = idsByReason(stock, items, now);
    const counts = Object.fromEntries(Object.entries(reasons).map(([reason, ids]) => [reason, ids.size]));
    expect(counts).toEqual({ leaked: 1, expiring: 2, rotation: 1, invitation: 1, unused: 2 });
    expect(reasons.expiring).toEqual(new Set(["sooner", "later"]));
  });

  test.each<[string, Partial<Token>, boolean]>([
    ["in 30 days, and nobody uses it", { expires_at: inDays(30) }, true],
    ["in an hour, the end of its life", { ...used, issued_at: inDays(-0.1), expires_at: inDays(0.04) }, true],
    ["in 31 days", { ...used, expires_at: inDays(31) }, false],
    ["now", { ...used, expires_at: inDays(0) }, false],
    ["with its grace period", rotated, false],
    ["and its workload then gets another", { ...used, expires_at: inDays(0.1), trust_id: "x" }, false],
  ])("includes a token among those that expire soon unless that is settled: it ends %s", (_, fields, isSoon) => {
    expect(idsByReason([exampleToken(fields)], [], now).expiring.size).toBe(Number(isSoon));
  });
});

describe("tokens that may change soon", () => {
  const confirmed = exampleRequest({ decision: "confirmed", decided_at: inMinutes(-1), decided_by: "admin" });
  const tooLate = { ...confirmed, decided_at: inMinutes(-15) };
  const ended = { expires_at: inMinutes(-1), redeemed_at: null };
  const redeemed = { expires_at: inMinutes(60), redeemed_at: inMinutes(-2) };
  test.each<[string, Token, number | false]>([
    ["an invitation without an address", exampleInvitation(), 3_000],
    ["one whose client waits", exampleInvitation({ ...overdue, request: exampleRequest() }), 3_000],
    ["one whose client has to call again", exampleInvitation({ ip: "192.0.2.1", request: confirmed }), 3_000],
    ["a move that waits for a decision", exampleToken({ request: move }), 3_000],
    ["a token", exampleToken(), 30_000],
    ["an invitation with an address", exampleInvitation({ ip: "192.0.2.1" }), 30_000],
    ["an invitation that has ended", exampleInvitation({ invitation: ended }), false],
    ["a token that was an invitation", exampleToken({ invitation: redeemed, request: confirmed }), 30_000],
    ["a confirmed move", exampleToken({ request: { ...confirmed, for: "move" } }), 3_000],
    ["a move that was not completed in time", exampleToken({ request: { ...tooLate, for: "move" } }), 30_000],
  ])("are polled at a suitable interval: %s", (_, token, intervalMs) => {
    expect(watchMs(token, now)).toBe(intervalMs);
  });
});
