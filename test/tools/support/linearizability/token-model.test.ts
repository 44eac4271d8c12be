import { describe, expect, test } from "vitest";
import { isLinearizable, type Operation } from "../../../../tools/support/linearizability/linearizability.ts";
import {
  type ShownToken,
  type TokenAction,
  tokenModel,
  untouched,
} from "../../../../tools/support/linearizability/token-model.ts";

const issued = untouched;

type Told = TokenAction extends infer Action ? (Action extends unknown ? Omit<Action, "from" | "to"> : never) : never;

const at = (from: number, to: number, action: Told): Operation<TokenAction> => ({
  action: { ...action, from, to: Math.min(to, 1_000_000) } as TokenAction,
  calledAt: from,
  answeredAt: to,
});
const never = Number.POSITIVE_INFINITY;
const use = (from: number, to: number, verdict: "active" | "expired" | "revoked") =>
  at(from, to, { kind: "use", verdict });
const revoke = (from: number, to: number) =>
  at(from, to, { kind: "revoke", by: "r", answer: { ...issued, revoked_by: "r" } });
const update = (from: number, to: number, limit: number) =>
  at(from, to, { kind: "update", by: "u", limit, answer: { ...issued, rate_limit: limit, updated_by: "u" } });
const edit = (from: number, to: number, what: Omit<Extract<Told, { kind: "update" }>, "kind" | "by">) =>
  at(from, to, { kind: "update", by: "u", ...what });
const ending = (end: number | null): ShownToken => ({
  ...issued,
  updated_by: "u",
  expires_at: end === null ? null : new Date(end).toISOString(),
});
const dismiss = (from: number, to: number, ip: string) =>
  at(from, to, { kind: "dismiss", by: "u", ip, answer: { ...issued, updated_by: "u", dismissed: ip } });
const restore = (from: number, to: number, left: string) =>
  at(from, to, { kind: "restore", by: "u", ip: "1.1.1.1", answer: { ...issued, updated_by: "u", dismissed: left } });
const rotate = (from: number, to: number) =>
  at(from, to, { kind: "rotate", by: "o", graceMilliseconds: 1_000, answer: "rotated" });
const rotateUntil = (from: number, to: number, end: number) =>
  at(from, to, {
    kind: "rotate",
    by: "o",
    graceMilliseconds: end,
    endsAt: new Date(end).toISOString(),
    answer: "rotated",
  });
const succeed = (from: number, to: number) => at(from, to, { kind: "succeed", by: "token", graceMilliseconds: 1_000 });
const leave = (from: number, to: number) => at(from, to, { kind: "leave", by: "token", isAnswered: true });
const read = (from: number, to: number, shown: Partial<ShownToken>) =>
  at(from, to, { kind: "read", answer: { ...issued, ...shown } });

describe("a history of a token that is possible", () => {
  test.each<[string, Operation<TokenAction>[]]>([
    ["it is used, revoked, and no longer used", [use(0, 1, "active"), revoke(2, 3), use(4, 5, "revoked")]],
    ["it is used while it is revoked", [revoke(0, 9), use(1, 2, "active"), use(3, 4, "revoked")]],
    ["nobody knows whether it was revoked", [at(0, never, { kind: "revoke", by: "r" }), use(1, 2, "active")]],
    [
      "nobody knows whether somebody who has it ended it",
      [at(0, never, { kind: "leave", by: "r", isAnswered: false }), use(1, 2, "active"), use(3, 4, "revoked")],
    ],
    [
      "it is valid during its grace period",
      [rotateUntil(0, 1, 10), use(2, 3, "active"), use(9, 11, "active"), use(9, 11, "expired")],
    ],
    [
      "a rotation shows its end later",
      [rotate(0, 1), read(2, 3, { rotated_by: "o", expires_at: new Date(50).toISOString() }), use(60, 61, "expired")],
    ],
    [
      "its end is edited, and it expires then",
      [edit(0, 1, { end: "a time", answer: ending(50) }), use(2, 3, "active"), use(60, 61, "expired")],
    ],
    [
      "its end is removed",
      [edit(0, 1, { end: "a time", answer: ending(50) }), edit(2, 3, { end: "none" }), use(60, 61, "active")],
    ],
    [
      "a client rotates it, and asks for the same successor again",
      [succeed(0, 1), use(1, 2, "active"), succeed(2, 3), use(2_000, 2_001, "expired")],
    ],
    [
      "somebody who has it ends it after its rotation",
      [succeed(0, 1), leave(2_000, 2_001), use(2_002, 2_003, "revoked")],
    ],
    ["a rotated one keeps its end", [rotate(0, 1), edit(2, 3, { end: "none", answer: "already rotated" })]],
    [
      "an address is dismissed and restored",
      [dismiss(0, 1, "1.1.1.1"), restore(2, 3, ""), read(4, 5, { updated_by: "u" })],
    ],
  ])("is accepted: %s", (_, history) => {
    expect(isLinearizable(history, tokenModel(issued))).toBe(true);
  });
});

describe("a history of a token that is impossible", () => {
  test.each<[string, Operation<TokenAction>[]]>([
    ["it is admitted after it was revoked", [revoke(0, 1), use(2, 3, "active")]],
    ["it is admitted after its grace period", [succeed(0, 1), use(1_500, 1_501, "active")]],
    ["it is admitted after somebody who has it has ended it", [leave(0, 1), use(2, 3, "active")]],
    ["it is admitted after the end that its rotation shows", [rotateUntil(0, 1, 10), use(11, 12, "active")]],
    ["it is refused before the end that its rotation shows", [rotateUntil(0, 1, 10), use(2, 3, "expired")]],
    ["a revocation is forgotten", [revoke(0, 1), use(2, 3, "revoked"), use(4, 5, "active")]],
    [
      "it is only expired although somebody who has it ended it before",
      [rotateUntil(0, 1, 10), leave(2, 3), use(11, 12, "expired")],
    ],
    ["somebody else rotates it again", [rotate(0, 1), succeed(2, 3)]],
    ["a limit that was acknowledged is gone", [update(0, 1, 5), read(2, 3, {})]],
    ["it is rotated twice", [rotate(0, 1), rotate(2, 3)]],
    ["its end is edited after its rotation", [rotate(0, 1), edit(2, 3, { end: "none", answer: ending(null) })]],
    ["an edit is refused without a reason", [edit(0, 1, { end: "none", answer: "already rotated" })]],
    [
      "a rotation moves its end to a later time",
      [edit(0, 1, { end: "a time", answer: ending(50) }), rotate(2, 3), read(4, 5, { ...ending(99), rotated_by: "o" })],
    ],
    ["a dismissed address is forgotten", [dismiss(0, 1, "1.1.1.1"), read(2, 3, { updated_by: "u" })]],
    ["it is refused without a reason", [use(0, 1, "revoked")]],
    ["it is updated after it was revoked", [revoke(0, 1), update(2, 3, 5)]],
    [
      "it is admitted after its end",
      [rotate(0, 1), read(2, 3, { rotated_by: "o", expires_at: new Date(50).toISOString() }), use(60, 61, "active")],
    ],
  ])("is detected: %s", (_, history) => {
    expect(isLinearizable(history, tokenModel(issued))).toBe(false);
  });
});
