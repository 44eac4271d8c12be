import { describe, expect, test } from "vitest";
import { isLinearizable, type Operation } from "../../../../tools/support/linearizability/linearizability.ts";
import { type TokenEvent, verdictModel } from "../../../../tools/support/traffic/verdict-model.ts";

const never = Number.POSITIVE_INFINITY;
const at = (from: number, to: number, action: TokenEvent): Operation<TokenEvent> => ({
  action,
  calledAt: from,
  answeredAt: to,
});
const use = (from: number, to: number, verdict: "active" | "expired" | "revoked") =>
  at(from, to, { kind: "use", verdict, from, to });
const revoke = (from: number, to: number) => at(from, to, { kind: "revoke", answer: "revoked" });
const revokeOwn = (from: number, to: number) => at(from, to, { kind: "revoke", answer: "ended", to });
const rotate = (from: number, to: number, ends: number) =>
  at(from, to, { kind: "rotate", endsFrom: ends, endsTo: ends, to, answer: "rotated" });

describe("the verdicts on a token", () => {
  test.each<[string, Operation<TokenEvent>[]]>([
    ["it is used, revoked, and no longer used", [use(0, 1, "active"), revoke(2, 3), use(4, 5, "revoked")]],
    ["it is used while it is revoked", [revoke(0, 9), use(1, 2, "active"), use(3, 4, "revoked")]],
    [
      "it is valid during its grace",
      [rotate(0, 1, 10), use(2, 3, "active"), use(9, 11, "active"), use(9, 11, "expired")],
    ],
    [
      "it is unknown whether it was revoked",
      [at(0, never, { kind: "revoke" }), use(1, 2, "active"), use(3, 4, "revoked")],
    ],
    ["its client revokes it", [use(0, 1, "active"), revokeOwn(2, 3), use(4, 5, "revoked")]],
    [
      "its client revokes it when it has expired already",
      [rotate(0, 1, 10), revokeOwn(11, 12), use(13, 14, "expired")],
    ],
  ])("are due: %s", (_, history) => {
    expect(isLinearizable(history, verdictModel)).toBe(true);
  });

  test.each<[string, Operation<TokenEvent>[]]>([
    ["it is admitted after it was revoked", [revoke(0, 1), use(2, 3, "active")]],
    ["it is admitted after its grace", [rotate(0, 1, 10), use(11, 12, "active")]],
    ["it is refused before its end", [rotate(0, 1, 10), use(2, 3, "expired")]],
    ["it is refused without a reason", [use(0, 1, "revoked")]],
    ["it is rotated twice", [rotate(0, 1, 10), rotate(2, 3, 12)]],
    ["a revocation is forgotten", [revoke(0, 1), use(2, 3, "revoked"), use(4, 5, "active")]],
    ["it is admitted after its client has revoked it", [revokeOwn(0, 1), use(2, 3, "active")]],
    [
      "it is only expired although its client revoked it before",
      [rotate(0, 1, 10), revokeOwn(2, 3), use(11, 12, "expired")],
    ],
  ])("are wrong: %s", (_, history) => {
    expect(isLinearizable(history, verdictModel)).toBe(false);
  });
});
