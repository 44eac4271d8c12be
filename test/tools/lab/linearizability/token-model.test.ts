import { expect, test } from "vitest";
import { isLinearizable, type Operation } from "../../../../tools/lab/linearizability/linearizability.ts";
import { type TokenAction, tokenModel } from "../../../../tools/lab/linearizability/token-model.ts";

/*
 * Planted bugs in the simulation show that the model detects the impossible. Only traffic on a real service knows the expiry in
 * the response to a rotation.
 */

const at = (from: number, to: number, action: object): Operation<TokenAction> => ({
  action: { ...action, from, to } as TokenAction,
  calledAt: from,
  answeredAt: to,
});
const use = (from: number, to: number, verdict: string) => at(from, to, { kind: "use", verdict });
const leave = (from: number, to: number) => at(from, to, { kind: "leave", by: "token", isAnswered: true });

/** A rotation at the beginning, after which the token ends at 10. */
const rotated = at(0, 1, {
  kind: "rotate",
  by: "o",
  graceMilliseconds: 10,
  endsAt: new Date(10).toISOString(),
  answer: "rotated",
});

test.each<[string, boolean, Operation<TokenAction>[]]>([
  ["used until its end", true, [use(2, 3, "active"), use(9, 11, "active"), use(9, 11, "expired")]],
  ["used after its end", false, [use(11, 12, "active")]],
  ["refused before its end", false, [use(2, 3, "expired")]],
  ["revoked by somebody who has it", true, [leave(2, 3), use(11, 12, "revoked")]],
  ["expired although somebody who has it ended it before", false, [leave(2, 3), use(11, 12, "expired")]],
])("a rotated token that is %s: %s", (_, isPossible, history) => {
  expect(isLinearizable([rotated, ...history], tokenModel())).toBe(isPossible);
});
