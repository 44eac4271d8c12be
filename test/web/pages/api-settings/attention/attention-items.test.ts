import { describe, expect, test } from "vitest";
import type { Leak, Notice, Token } from "../../../../../web/api/types.ts";
import {
  attentionCounts,
  attentionItems,
  idsNeeding,
} from "../../../../../web/pages/api-settings/attention/attention-items.ts";
import { exampleRequest, exampleToken } from "../list/example-token.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();

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

const notice = (fields: Partial<Notice> = {}): Notice => ({
  notice_id: "token_expires:x",
  kind: "token_expires",
  token_id: "x",
  comment: "billing sync",
  ip: null,
  details: {},
  found_at: inDays(-1),
  topic: "uncertain",
  bus: "sent",
  ...fields,
});

const itemsOf = (tokens: Token[], { leaks = [], uncertain = [] }: { leaks?: Leak[]; uncertain?: Notice[] } = {}) =>
  attentionItems(tokens, { now, leaks: new Map(leaks.map((one) => [one.token_id, one])), uncertain });

const kindsOf = (fields: Partial<Token>, leaks: Leak[] = []): string[] =>
  itemsOf([exampleToken(fields)], { leaks }).map(({ kind }) => kind);

const used = { issued_at: inDays(-300), last_used_at: inDays(-1) };
const rotated = {
  ...used,
  successor_id: "01M7ZZZZZZ0000000000000001",
  rotated_at: inDays(-2),
  expires_at: inDays(0.5),
};
const invited: Partial<Token> = {
  state: "invited",
  issued_at: inDays(-0.6),
  invitation: { expires_at: inDays(0.4), redeemed_at: null },
};
const request = exampleRequest({ for: "move", expires_at: inDays(0.01) });

describe("a token that needs attention", () => {
  test.each<[string, Partial<Token>, string[]]>([
    ["is in use and ends in 30 days", { ...used, expires_at: inDays(30) }, ["token_expires"]],
    ["is in use and ends in 31 days", { ...used, expires_at: inDays(31) }, []],
    ["has expired since it was loaded", { ...used, expires_at: inDays(-1) }, []],
    ["was rotated and is still used on its last day", rotated, ["rotation_unfinished"]],
    ["was rotated and not used since", { ...rotated, last_used_at: inDays(-3) }, []],
    ["was last used 91 days ago", { issued_at: inDays(-300), last_used_at: inDays(-91) }, ["token_unused"]],
    ["has not been redeemed for half of its time", invited, ["invitation_unused"]],
    [
      "had an invitation that has ended since it was loaded",
      { ...invited, invitation: { expires_at: inDays(-0.1), redeemed_at: null } },
      [],
    ],
    ["has a client that asked to move", { ...used, request }, ["confirmation_waiting"]],
    [
      "had a request that has ended since it was loaded",
      {
        ...invited,
        issued_at: inDays(0),
        state: "awaiting_confirmation",
        request: { ...request, expires_at: inDays(-0.01) },
      },
      [],
    ],
    ["is revoked", { ...used, state: "revoked", expires_at: inDays(3) }, []],
  ])("is one that %s", (_, fields, kinds) => {
    expect(kindsOf(fields)).toEqual(kinds);
  });
});

describe("a leak", () => {
  const dismissed = (ip: string, days: number) => ({ ip, dismissed_at: inDays(days), dismissed_by: "admin" });

  test("needs attention as long as one address is not dismissed", () => {
    expect(kindsOf(used, [leak()])).toEqual(["token_leaked"]);
    expect(kindsOf({ ...used, dismissed_addresses: [dismissed("203.0.113.1", 0)] }, [leak()])).toEqual([
      "token_leaked",
    ]);
    const all = [dismissed("203.0.113.1", 0), dismissed("203.0.113.2", 0)];
    expect(kindsOf({ ...used, dismissed_addresses: all }, [leak()])).toEqual([]);
  });

  test("from addresses without a name needs attention unless a dismissal is newer", () => {
    const all = [dismissed("203.0.113.1", -4), dismissed("203.0.113.2", -2)];
    expect(kindsOf({ ...used, dismissed_addresses: all }, [leak({ unlisted_at: inDays(-1) })])).toEqual([
      "token_leaked",
    ]);
    expect(kindsOf({ ...used, dismissed_addresses: all }, [leak({ unlisted_at: inDays(-3) })])).toEqual([]);
  });

  test("of a token that has ended needs no attention", () => {
    expect(kindsOf({ state: "revoked" }, [leak()])).toEqual([]);
  });
});

describe("what needs attention", () => {
  const items = itemsOf(
    [
      exampleToken({ token_id: "unused", issued_at: inDays(-100) }),
      exampleToken({ token_id: "unused longer", issued_at: inDays(-200) }),
      exampleToken({ token_id: "later", ...used, expires_at: inDays(20) }),
      exampleToken({ token_id: "invited", ...invited }),
      exampleToken({ token_id: "sooner", ...used, expires_at: inDays(0.2) }),
      exampleToken({ token_id: "rotated", ...rotated }),
      exampleToken({ token_id: "leaked", ...used }),
      exampleToken({ token_id: "moving", ...used, request }),
    ],
    { leaks: [leak({ token_id: "leaked" })], uncertain: [notice()] },
  );

  test("is in the order of its urgency: who waits, what has leaked, what ends first, and what is not used", () => {
    expect(items.map((item) => ("token" in item ? item.token.token_id : item.notice.notice_id))).toEqual([
      "moving",
      "leaked",
      "token_expires:x",
      "sooner",
      "invited",
      "rotated",
      "later",
      "unused longer",
      "unused",
    ]);
  });

  test("is counted by its reasons, and a reason leads to its tokens", () => {
    expect(attentionCounts(items)).toEqual({ leaked: 1, expiring: 2, rotation: 1, invitation: 1, unused: 2 });
    expect(idsNeeding(items, "expiring")).toEqual(new Set(["sooner", "later"]));
  });
});
