import { describe, expect, test } from "vitest";
import { type ChangeKind, changeKinds, keyChangeKinds } from "../../lambdas/domain/history/change-kinds.ts";
import { replaceable } from "../../lambdas/domain/keys/key-fields.ts";
import type { Change } from "../../web/admin/api/types.ts";
import { changeAsText } from "../../web/admin/changes/change-text.ts";
import { historyAsCsv } from "../../web/admin/pages/csv-files.ts";
import { exampleChange, keyChange } from "./record-examples.ts";

const textOf = (change: Change): string => changeAsText(change, () => "billing sync");

const ip = "203.0.113.50";
const request = { ip, code: "K7P-4XQ" };
const limits = { comment: "changed", expires_at: "2027-01-01T00:00:00.000Z", rate_limit: "600" };
const byAdmin: [ChangeKind, Change["details"], string][] = [
  ["issued", { ip }, "issued billing sync for 203.0.113.50."],
  ["issued", { ip, client: "ACME" }, "issued billing sync (client ACME) for 203.0.113.50."],
  ["invited", { ip }, "invited billing sync at 203.0.113.50."],
  ["invited", {}, "invited billing sync, at an address to be confirmed."],
  ["confirmed", request, "confirmed the address 203.0.113.50 for billing sync."],
  ["rejected", request, "rejected the address 203.0.113.50 for billing sync."],
  [
    "updated",
    limits,
    "edited billing sync: a new comment, it expires 2027-01-01T00:00:00.000Z, at most 600 requests per minute.",
  ],
  ["updated", { expires_at: "never", rate_limit: "none" }, "edited billing sync: it never expires, no limit."],
  ["leak_dismissed", { ip }, "dismissed the warning about 203.0.113.50 for billing sync."],
  ["leak_restored", { ip }, "restored the warning about 203.0.113.50 for billing sync."],
  [
    "rotated",
    { successor_id: "x", expires_at: "2026-11-22T10:15:30.123Z" },
    "rotated billing sync: a new token replaces it, and the old one ends 2026-11-22T10:15:30.123Z.",
  ],
  ["succeeded", { predecessor_id: "x", ip }, "issued billing sync for 203.0.113.50, to replace an earlier token."],
  ["revoked", {}, "revoked billing sync."],
  ["created", {}, "created the key 1234567."],
  ["replaced", {}, `replaced the ${replaceable} of the key 1234567.`],
  ["revealed", {}, "looked at the v_code of the key 1234567."],
  ["trusted", { issuer: "https://i.example", subject: "job" }, "trusted the workload job of https://i.example."],
  [
    "trust_updated",
    { token_seconds: "600", ip: "none", expires_at: "none" },
    "edited the trust in the workload billing sync: its tokens live for 10 minutes, any address, it never expires.",
  ],
  ["trust_updated", { ip }, "edited the trust in the workload billing sync: only the address 203.0.113.50."],
  ["trust_updated", { tokens: "ended" }, "ended all tokens of the workload billing sync."],
  ["trust_ended", {}, "stopped trusting the workload billing sync."],
  ["exchanged", {}, "exchanged a JWT for a token."],
  ["deleted", {}, "deleted the key 1234567."],
];
const byClient: [ChangeKind, Change["details"], string][] = [
  ["requested", request, "asked to use its token from 203.0.113.50."],
  ["redeemed", {}, "redeemed its invitation."],
  ["moved", { successor_id: "x", ip }, "moved its token to 203.0.113.50, where a new token replaces it."],
];

describe("the description of a change", () => {
  test.each(byAdmin)("says what was done: %s with %o", (kind, details, sentence) => {
    const isOfKey = keyChangeKinds.some((name) => name === kind);
    const change = (isOfKey ? keyChange : exampleChange)({ kind, details });
    expect(textOf(change)).toBe(`admin@example.com ${sentence}`);
  });

  test.each(byClient)("says what a client did with its own token: %s", (kind, details, sentence) => {
    const by = `token:${exampleChange().token_id}`;
    expect(textOf(exampleChange({ kind, details, by }))).toBe(`The client of billing sync ${sentence}`);
  });

  test("exists for each kind of change", () => {
    expect(new Set([...byAdmin, ...byClient].map(([kind]) => kind))).toEqual(new Set(changeKinds));
  });

  test.each([
    ["invoke:3f8a2b1c:alice", "alice, by command,"],
    ["invoke:3f8a2b1c:a:b", "a:b, by command,"],
    ["invoke:3f8a2b1c", "A command"],
    ["token:another", "The client of billing sync"],
    ["token:00000000001", "The workload billing sync"],
  ])("names the author: %s", (by, author) => {
    expect(textOf(exampleChange({ by }))).toBe(`${author} revoked billing sync.`);
  });
});

describe("the CSV of the history", () => {
  const linesOf = (change: Change): string[] => historyAsCsv([change], () => "=sync").split("\r\n");

  test("has a header row, and a row for each change with the sentence and all recorded data", () => {
    const rotated = exampleChange({
      kind: "rotated",
      by: "invoke:3f8a2b1c:alice",
      from: null,
      request_id: "3f8a2b1c",
      details: { successor_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0C", expires_at: "2026-11-22T10:15:30.123Z" },
    });
    expect(linesOf(rotated)).toEqual([
      "\ufeffTime,Change,Description,Person,Recorded as,Address,Request id,Token id,Comment,key_id,Client,Bound address,Code,New expiry,New limit,Successor,Predecessor",
      `2026-11-21T10:15:30.123Z,Token rotated,"alice, by command, rotated =sync: a new token replaces it, and the old one ends 2026-11-22T10:15:30.123Z.",alice,invoke:3f8a2b1c:alice,,3f8a2b1c,01KAK3Y0V9QX8M4N2R7T5W1Y0B,'=sync,,,,,2026-11-22T10:15:30.123Z,,01KAK3Y0V9QX8M4N2R7T5W1Y0C,`,
      "",
    ]);
  });

  test("contains no formulas, whatever the names of keys and authors", () => {
    expect(linesOf(keyChange({ key_id: "=1+1" }))[1]).toContain(`,'=1+1,`);
    expect(linesOf(keyChange({ by: "@SUM(1)" }))[1]).toContain(",'@SUM(1) created the key 1234567.,'@SUM(1),'@SUM(1),");
  });
});
