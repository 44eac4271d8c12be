import { describe, expect, test } from "vitest";
import type { Token } from "../../../../../web/api/types.ts";
import { withRecordedChanges } from "../../../../../web/pages/api-settings/details/recorded-changes.ts";
import { exampleChange } from "../../../changes/example-change.ts";
import { exampleRequest, exampleToken } from "../list/example-token.ts";

const kindsOf = (token: Token): string[] => withRecordedChanges(token, []).map(({ kind }) => kind);
const day = (number: number) => `2026-11-${number}T12:00:00.000Z`;

describe("the history of a token from an earlier release", () => {
  test("has what its record says, newest first, with the address of a client and the request of an invocation", () => {
    const token = exampleToken({
      issued_at: day(10),
      issued_by: "invoke:3f8a2b1c:alice",
      updated_at: day(11),
      updated_by: "admin@example.com",
      rotated_at: day(12),
      rotated_by: `token:${exampleToken().token_id}:198.51.100.7`,
      successor_id: "x",
      expires_at: day(19),
      revoked_at: day(13),
      revoked_by: "bob",
    });
    expect(withRecordedChanges(token, [])).toMatchObject([
      { kind: "revoked", time: day(13), by: "bob", from: null, request_id: null },
      { kind: "rotated", from: "198.51.100.7", details: { successor_id: "x", expires_at: day(19) } },
      { kind: "updated", by: "admin@example.com", details: {} },
      { kind: "issued", time: day(10), request_id: "3f8a2b1c", details: { ip: token.ip } },
    ]);
  });

  test("has its invitation, the request, the decision and the move of its client", () => {
    const request = exampleRequest({
      for: "move",
      requested_at: day(12),
      decision: "confirmed",
      decided_at: day(13),
      decided_by: "bob",
    });
    const token = exampleToken({
      issued_at: day(10),
      invitation: { expires_at: day(12), redeemed_at: day(11) },
      request,
      rotated_at: day(14),
      rotated_by: `token:${exampleToken().token_id}:${request.ip}`,
      successor_id: "x",
    });
    expect(kindsOf(token)).toEqual(["moved", "confirmed", "requested", "redeemed", "invited"]);
  });

  test("begins with the succession of a successor, and has its dismissed warnings", () => {
    const token = exampleToken({
      issued_at: day(10),
      predecessor_id: "x",
      dismissed_addresses: [{ ip: "192.0.2.1", dismissed_at: day(11), dismissed_by: "bob" }],
    });
    expect(kindsOf(token)).toEqual(["leak_dismissed", "succeeded"]);
  });
});

describe("the history of a token from this release", () => {
  test("is complete: nothing is added to it", () => {
    const token = exampleToken({ issued_at: day(10), revoked_at: day(13), revoked_by: "bob" });
    const changes = [exampleChange({ time: day(14), by: "bob" }), exampleChange({ time: day(10), kind: "issued" })];
    expect(withRecordedChanges(token, changes)).toEqual(changes);
  });
});

describe("the history of a token that was changed by both releases", () => {
  test("has each change once, although the times in its record differ a little", () => {
    const token = exampleToken({ issued_at: day(10), revoked_at: day(13), revoked_by: "bob" });
    const revoked = exampleChange({ time: "2026-11-13T12:00:00.020Z", by: "bob" });
    expect(withRecordedChanges(token, [revoked])).toMatchObject([revoked, { kind: "issued", time: day(10) }]);
  });

  test("does not call a warning that was restored an edit as well", () => {
    const token = exampleToken({ issued_at: day(10), updated_at: day(13), updated_by: "bob" });
    const restored = exampleChange({ time: day(13), kind: "leak_restored" });
    expect(withRecordedChanges(token, [restored])).toMatchObject([restored, { kind: "issued" }]);
  });

  test("has an earlier edit besides a later one", () => {
    const token = exampleToken({ issued_at: day(10), updated_at: day(11), updated_by: "bob" });
    const revoked = exampleChange({ time: day(13) });
    expect(withRecordedChanges(token, [revoked]).map(({ kind }) => kind)).toEqual(["revoked", "updated", "issued"]);
  });
});
