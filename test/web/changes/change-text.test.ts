import { describe, expect, test } from "vitest";
import { changeKinds } from "../../../lambdas/resources/history/change-kinds.ts";
import type { Change } from "../../../web/api/types.ts";
import { changeAsText } from "../../../web/changes/change-text.ts";
import { clientChange, exampleChange, keyChange } from "./example-change.ts";

const textOf = (change: Change): string => changeAsText(change, () => "billing sync");

const ip = "203.0.113.50";
const request = { ip, code: "K7P-4XQ" };
const sentences: [Change, string][] = [
  [exampleChange({ kind: "issued", details: { ip } }), "admin@example.com issued billing sync for 203.0.113.50."],
  [exampleChange({ kind: "invited", details: { ip } }), "admin@example.com invited billing sync at 203.0.113.50."],
  [exampleChange({ kind: "invited" }), "admin@example.com invited billing sync, at an address to be confirmed."],
  [
    clientChange({ kind: "requested", details: request }),
    "The client of billing sync asked to use its token from 203.0.113.50, with the code K7P-4XQ.",
  ],
  [
    exampleChange({ kind: "confirmed", details: request }),
    "admin@example.com confirmed the address 203.0.113.50 for billing sync.",
  ],
  [
    exampleChange({ kind: "rejected", details: request }),
    "admin@example.com rejected the address 203.0.113.50 for billing sync.",
  ],
  [clientChange({ kind: "redeemed" }), "The client of billing sync redeemed its invitation."],
  [
    exampleChange({
      kind: "updated",
      details: { comment: "changed", expires_at: "2027-01-01T00:00:00.000Z", rate_limit: "600" },
    }),
    "admin@example.com edited billing sync: a new comment, it expires 2027-01-01T00:00:00.000Z, at most 600 requests per minute.",
  ],
  [
    exampleChange({ kind: "updated", details: { expires_at: "never", rate_limit: "none" } }),
    "admin@example.com edited billing sync: it never expires, no limit.",
  ],
  [
    exampleChange({ kind: "leak_dismissed", details: { ip } }),
    "admin@example.com dismissed the warning about 203.0.113.50 for billing sync.",
  ],
  [
    exampleChange({ kind: "leak_restored", details: { ip } }),
    "admin@example.com restored the warning about 203.0.113.50 for billing sync.",
  ],
  [
    exampleChange({ kind: "rotated", details: { successor_id: "x", expires_at: "2026-11-22T10:15:30.123Z" } }),
    "admin@example.com rotated billing sync: its successor replaces it, and the old one ends 2026-11-22T10:15:30.123Z.",
  ],
  [
    clientChange({ kind: "moved", details: { successor_id: "x", ip } }),
    "The client of billing sync moved its token to 203.0.113.50, where its successor replaces it.",
  ],
  [
    exampleChange({ kind: "succeeded", details: { predecessor_id: "x", ip } }),
    "admin@example.com issued billing sync for 203.0.113.50, as the successor of an earlier token.",
  ],
  [exampleChange(), "admin@example.com revoked billing sync."],
  [keyChange(), "admin@example.com created the key 1234567."],
  [keyChange({ kind: "replaced" }), "admin@example.com replaced the v_code of the key 1234567."],
  [keyChange({ kind: "deleted", by: "token:x" }), "The client of billing sync deleted the key 1234567."],
];

describe("a change in words", () => {
  test.each(sentences)("is a sentence that says who did what: %#", (change, sentence) => {
    expect(textOf(change)).toBe(sentence);
  });

  test("exists for each kind of change", () => {
    expect(new Set(sentences.map(([{ kind }]) => kind))).toEqual(new Set(changeKinds));
  });

  test.each([
    ["invoke:3f8a2b1c:alice", "alice, by invocation, revoked billing sync."],
    ["invoke:3f8a2b1c:a:b", "a:b, by invocation, revoked billing sync."],
    ["invoke:3f8a2b1c", "An invocation revoked billing sync."],
    ["token:another", "The client of billing sync revoked billing sync."],
  ])("names who made it: %s", (by, sentence) => {
    expect(textOf(exampleChange({ by }))).toBe(sentence);
  });
});
