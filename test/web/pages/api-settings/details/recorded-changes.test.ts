import { describe, expect, test } from "vitest";
import type { Token } from "../../../../../web/api/types.ts";
import { withRecordedChanges } from "../../../../../web/pages/api-settings/details/recorded-changes.ts";
import { exampleChange } from "../../history/example-change.ts";
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

test("a change in the history of a token is not repeated from its record", () => {
  const token = exampleToken({ issued_at: day(10), revoked_at: day(13), revoked_by: "bob" });
  const revoked = exampleChange({ time: day(13), by: "bob" });
  const changes = withRecordedChanges(token, [revoked]);
  expect(changes).toMatchObject([revoked, { kind: "issued", time: day(10) }]);
});
