import { expect, test } from "vitest";
import { api } from "../../../../lambdas/api.ts";
import { operationsOf } from "../../../../lambdas/declaration/operations.ts";
import {
  beganAt,
  conditionOf,
  expiringAt,
  isUnredeemed,
  lifeCycle,
  phaseOf,
  rotationCall,
  tokenState,
  transitionGuide,
} from "../../../../lambdas/domain/tokens/life-cycle.ts";
import { type Phase, phaseGuide, phases } from "../../../../lambdas/domain/tokens/token-state.ts";
import type { TokenRecord } from "../../../../lambdas/domain/tokens/token-store.ts";
import { rotateToken } from "../../../../lambdas/v1/rotate-token.ts";
import { decided, hourMs, inMs, newInvitation, newToken, requestField } from "../../../kit/support/tokens.ts";
import { recordIn } from "../../support/stores.ts";

const { record } = newToken();
const time = "2026-11-21T10:15:30.123Z";
const [before, after] = ["2026-11-21T10:15:30.122Z", "2026-11-21T10:15:30.124Z"];

test.for<[string, Partial<TokenRecord>]>([
  ["active", {}],
  ["active", { expires_at: after }],
  ["expired", { expires_at: time }],
  ["expired", { expires_at: before }],
  ["revoked", { revoked_at: time, expires_at: after }],
  ["revoked", { revoked_at: time, expires_at: before }],
])("a token is %s at 10:15:30.123 if it has %j", ([state, fields]) => {
  expect(tokenState({ ...record, ...fields }, time)).toBe(state);
});

test("a token's record shows its phase, and every phase and transition is documented", () => {
  for (const phase of Object.keys(phases) as Phase[]) {
    expect(phaseOf(recordIn(phase), inMs(0))).toBe(phase);
    expect(phaseGuide[phase]).toMatch(/^[A-Z].*\.$/);
  }
  const documented = { by: expect.stringMatching(/^(admin|client|time)$/), cause: expect.stringMatching(/\w/) };
  expect(transitionGuide).toEqual(Object.fromEntries(Object.keys(lifeCycle).map((name) => [name, documented])));
});

test("a token is active again after its confirmed move has lapsed", () => {
  const request = requestField({ ...decided("confirmed"), decided_at: inMs(-hourMs) });
  expect(phaseOf({ ...record, request }, inMs(0))).toBe("active");
});

test("the lifetime of an invitation's token starts when the invitation is redeemed", () => {
  const { record: invitation } = newInvitation();
  const redeemed = { ...invitation, redeemed_at: "2026-01-02T00:00:00.000Z" };
  expect([record, invitation, redeemed].map(isUnredeemed)).toEqual([false, true, false]);
  expect([invitation, redeemed].map(beganAt)).toEqual([invitation.issued_at, redeemed.redeemed_at]);
});

test("a change that applies to replaced tokens accepts those with a successor, although they have ended", () => {
  const successor = "attribute_not_exists(successor_id)";
  expect(conditionOf(["replaced"])).toContain("OR attribute_exists(successor_id)");
  expect(conditionOf(["replaced"])).not.toContain(successor);
  expect(conditionOf(["active"])).toContain(successor);
});

const now = Date.parse(time);

test.for([
  ["9999-12-31T23:59:59.999Z", undefined],
  ["2026-12-21T10:15:30.124Z", undefined],
  ["2026-12-21T10:15:30.123Z", 30],
  ["2026-12-21T10:15:30.122Z", 29],
  ["2026-11-22T10:15:30.123Z", 1],
  ["2026-11-22T10:15:30.122Z", 0],
  [after, 0],
  // A request may arrive before the end and get its response after it.
  ["2026-11-21T10:15:30.100Z", 0],
] as const)("announces the end of a token from 30 days before, in whole days: %s", ([expires_at, days]) => {
  expect(expiringAt({ expires_at }, now)?.days).toBe(days);
});

test("tells a client how to rotate, unless the token has a successor or a successor would end with it", () => {
  const expires_at = "2026-11-22T10:15:30.123Z";
  expect(expiringAt({ expires_at }, now)).toEqual({ expires_at, days: 1, rotation: rotationCall });
  expect(expiringAt({}, now)).toBeUndefined();
  for (const more of [{ successor_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B" }, { end_set_at: expires_at }])
    expect(expiringAt({ expires_at, ...more }, now)).toEqual({ expires_at, days: 1, rotation: null });
});

test("announces the call that rotates tokens in the newest version", () => {
  const newest = operationsOf(api).findLast(({ endpoint }) => endpoint === rotateToken);
  expect(rotationCall).toBe(`${rotateToken.method} ${newest?.path}`);
});
