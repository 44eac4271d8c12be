import { describe, expect, test } from "vitest";
import { withRecordedChanges } from "../../web/pages/api-settings/details/recorded-changes.ts";
import { exampleChange, exampleRequest, exampleToken } from "./examples.ts";

const day = (number: number) => `2026-11-${number}T12:00:00.000Z`;
const { token_id } = exampleToken();

describe("the history of a token from an earlier release", () => {
  test("has what its record says, newest first, with the address of a client and the request of an invocation", () => {
    const token = exampleToken({
      ...{ issued_at: day(10), issued_by: "invoke:3f8a2b1c:alice" },
      ...{ updated_at: day(11), updated_by: "admin@example.com" },
      ...{ rotated_at: day(12), rotated_by: `token:${token_id}:198.51.100.7`, successor_id: "x", expires_at: day(19) },
      ...{ revoked_at: day(13), revoked_by: "bob" },
    });
    expect(withRecordedChanges(token, [])).toMatchObject([
      { kind: "revoked", time: day(13), by: "bob", from: null, request_id: null },
      { kind: "rotated", from: "198.51.100.7", details: { successor_id: "x", expires_at: day(19) } },
      { kind: "updated", by: "admin@example.com", details: {} },
      { kind: "issued", time: day(10), request_id: "3f8a2b1c", details: { ip: token.ip } },
    ]);
  });

  const decided = { decision: "confirmed", decided_at: day(13), decided_by: "bob" } as const;
  const request = exampleRequest({ for: "move", requested_at: day(12), ...decided });
  test.each([
    [
      "its invitation, the request, the decision and the move of its client",
      {
        ...{ invitation: { expires_at: day(12), redeemed_at: day(11) }, request },
        ...{ rotated_at: day(14), rotated_by: `token:${token_id}:${request.ip}`, successor_id: "x" },
      },
      ["moved", "confirmed", "requested", "redeemed", "invited"],
    ],
    [
      "the succession of a successor as its beginning, and its dismissed warnings",
      {
        predecessor_id: "x",
        dismissed_addresses: [{ ip: "192.0.2.1", dismissed_at: day(11), dismissed_by: "bob" }],
      },
      ["leak_dismissed", "succeeded"],
    ],
  ])("has %s", (_, fields, kinds) => {
    const changes = withRecordedChanges(exampleToken({ issued_at: day(10), ...fields }), []);
    expect(changes.map(({ kind }) => kind)).toEqual(kinds);
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
  const revoked = exampleChange({ time: "2026-11-13T12:00:00.020Z", by: "bob" });
  const edited = { updated_at: day(13), updated_by: "bob" };
  test.each([
    [
      "has each change once, although the times in its record differ a little",
      { revoked_at: day(13), revoked_by: "bob" },
      revoked,
      ["revoked", "issued"],
    ],
    [
      "does not call a warning that was restored an edit as well",
      edited,
      exampleChange({ time: day(13), kind: "leak_restored" }),
      ["leak_restored", "issued"],
    ],
    [
      "has an earlier edit besides a later change",
      { ...edited, updated_at: day(11) },
      revoked,
      ["revoked", "updated", "issued"],
    ],
  ])("%s", (_, fields, recorded, kinds) => {
    const changes = withRecordedChanges(exampleToken({ issued_at: day(10), ...fields }), [recorded]);
    expect(changes.map(({ kind }) => kind)).toEqual(kinds);
    expect(changes[0]).toBe(recorded);
  });
});
