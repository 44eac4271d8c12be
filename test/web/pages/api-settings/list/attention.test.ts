import { describe, expect, test } from "vitest";
import type { Leak, Token } from "../../../../../web/api/types.ts";
import {
  type Attention,
  attentionCounts,
  attentions,
  needsAttention,
} from "../../../../../web/pages/api-settings/list/attention.ts";
import { exampleToken } from "./example-token.ts";

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

const reasonsOf = (fields: Partial<Token>, leaks: Leak[] = []): Attention[] => {
  const circumstances = { now, leaks: new Map(leaks.map((one) => [one.token_id, one])) };
  return attentions.filter((attention) => needsAttention(exampleToken(fields), attention, circumstances));
};

const rotated = { successor_id: "01M7ZZZZZZ0000000000000001", rotated_at: inDays(-1), expires_at: inDays(1) };

describe("a token that needs attention", () => {
  test.each<[string, Partial<Token>, Attention[]]>([
    ["ends in 30 days", { expires_at: inDays(30) }, ["expiring"]],
    ["ends in 31 days", { expires_at: inDays(31) }, []],
    ["never ends", { expires_at: null }, []],
    ["has expired since it was loaded", { expires_at: inDays(-1) }, []],
    ["is rotated, which ends it", rotated, ["rotation"]],
    ["was never used and issued 91 days ago", { issued_at: inDays(-91) }, ["unused"]],
    ["was never used and issued 89 days ago", { issued_at: inDays(-89) }, []],
    ["was last used 91 days ago", { issued_at: inDays(-300), last_used_at: inDays(-91) }, ["unused"]],
    ["was last used 89 days ago", { issued_at: inDays(-300), last_used_at: inDays(-89) }, []],
    ["is revoked", { state: "revoked", issued_at: inDays(-300), expires_at: inDays(3) }, []],
  ])("that %s", (_, fields, reasons) => {
    expect(reasonsOf(fields)).toEqual(reasons);
  });
});

describe("a leak", () => {
  const dismissed = (ip: string, days: number) => ({ ip, dismissed_at: inDays(days), dismissed_by: "admin" });

  test("needs attention as long as one address is not dismissed", () => {
    expect(reasonsOf({}, [leak()])).toEqual(["leaked"]);
    expect(reasonsOf({ dismissed_addresses: [dismissed("203.0.113.1", 0)] }, [leak()])).toEqual(["leaked"]);
    const all = [dismissed("203.0.113.1", 0), dismissed("203.0.113.2", 0)];
    expect(reasonsOf({ dismissed_addresses: all }, [leak()])).toEqual([]);
  });

  test("from addresses without a name needs attention unless a dismissal is newer", () => {
    const all = [dismissed("203.0.113.1", -4), dismissed("203.0.113.2", -2)];
    expect(reasonsOf({ dismissed_addresses: all }, [leak({ unlisted_at: inDays(-1) })])).toEqual(["leaked"]);
    expect(reasonsOf({ dismissed_addresses: all }, [leak({ unlisted_at: inDays(-3) })])).toEqual([]);
  });

  test("of a token that has ended needs no attention", () => {
    expect(reasonsOf({ state: "revoked" }, [leak()])).toEqual([]);
  });
});

test("the number of leaked tokens is unknown until the leaks are loaded", () => {
  const tokens = [exampleToken({ expires_at: inDays(2) })];
  expect(attentionCounts(tokens, { now, leaks: undefined })).toEqual({
    expiring: 1,
    leaked: undefined,
    rotation: 0,
    unused: 0,
  });
});
