import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  beganAt,
  conditionOf,
  isIn,
  isUnredeemed,
  lifeCycle,
  phaseOf,
  type Transition,
  type TransitionName,
  tokenState,
  transitionGuide,
} from "../../../../lambdas/resources/tokens/life-cycle.ts";
import { type Phase, phaseGuide, phases, tokenStates } from "../../../../lambdas/resources/tokens/token-state.ts";
import { decided, hourMs, inMs, newInvitation, newToken, requestField } from "../../../../tools/support/tokens.ts";
import { recordIn } from "../../support/token-store.ts";

const instant = fc.date({
  min: new Date("2000-01-01T00:00:00Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});
const { record } = newToken();

describe("a token", () => {
  test("without an expiry is active at any time", () => {
    fc.assert(fc.property(instant, (now) => tokenState(record, now.toISOString()) === "active"));
  });

  test("is active before its expiry, and expired from that millisecond on", () => {
    const times = fc.tuple(instant, fc.oneof(instant, fc.constantFrom(-1, 0, 1)));
    fc.assert(
      fc.property(times, ([end, other]) => {
        const now = typeof other === "number" ? new Date(end.getTime() + other) : other;
        fc.pre(now.getUTCFullYear() < 10_000);
        const state = tokenState({ ...record, expires_at: end.toISOString() }, now.toISOString());
        expect(state).toBe(now < end ? "active" : "expired");
      }),
    );
  });

  test("that was revoked is revoked, whether or not it has also expired", () => {
    fc.assert(
      fc.property(instant, instant, instant, (revoked, end, now) => {
        const ended = { ...record, revoked_at: revoked.toISOString(), expires_at: end.toISOString() };
        expect(tokenState(ended, now.toISOString())).toBe("revoked");
      }),
    );
  });
});

describe("the life of a token", () => {
  const allPhases = Object.keys(phases) as Phase[];
  const transitions = Object.entries<Transition>(lifeCycle);

  test.for(allPhases)("has the phase %s, which its record shows and the documentation explains", (phase) => {
    expect(phaseOf(recordIn(phase), inMs(0))).toBe(phase);
    expect(phaseGuide[phase]).toMatch(/^[A-Z].*\.$/);
  });

  test("has only phases that it can reach, and ends only by expiry or revocation", () => {
    expect(new Set(transitions.map(([, { to }]) => to))).toEqual(new Set(allPhases));
    const last = allPhases.filter((phase) => !transitions.some(([, { from }]) => from.includes(phase)));
    expect(last).toEqual(["expired", "revoked"]);
  });

  test("shows admins each state that a phase can have", () => {
    expect(new Set(Object.values(phases))).toEqual(new Set(tokenStates));
  });

  test("can be ended by a revocation in every phase that is not an end, and by nothing else", () => {
    const everywhere = transitions.filter(([, { from }]) => from.length === allPhases.length - 2);
    expect(everywhere.map(([name]) => name)).toEqual(["revoke"]);
    expect(transitions.some(([, { from }]) => isIn(from, recordIn("revoked"), inMs(0)))).toBe(false);
  });

  test("begins with one of three transitions", () => {
    const first = transitions.filter(([, { from }]) => isIn(from, undefined, inMs(0)));
    expect(first.map(([name]) => name)).toEqual(["issue", "succeed", "invite"]);
  });

  test.for(Object.keys(lifeCycle) as TransitionName[])("has the transition %s, which is documented", (name) => {
    const [by, cause] = [expect.stringMatching(/^(admin|client|time)$/), expect.stringMatching(/\w/)];
    expect(transitionGuide[name]).toEqual({ by, cause });
  });

  test.for([
    ["was rejected", decided("rejected")],
    ["was made an hour ago", { requested_at: inMs(-hourMs) }],
    ["was confirmed an hour ago", { ...decided("confirmed"), decided_at: inMs(-hourMs) }],
    ["was for its own address, as that of a redeemed invitation", { ip: record.ip }],
    ["was confirmed for its own address", { ip: record.ip, ...decided("confirmed") }],
  ] as const)("does not change through a request that %s", ([, request]) => {
    expect(phaseOf({ ...record, request: requestField(request) }, inMs(0))).toBe("active");
  });

  test("is that of an invitation until it is redeemed, which is when its token began", () => {
    const { record: invitation } = newInvitation();
    const redeemed = { ...invitation, redeemed_at: "2026-01-02T00:00:00.000Z" };
    expect([record, invitation, redeemed].map(isUnredeemed)).toEqual([false, true, false]);
    expect([invitation, redeemed].map(beganAt)).toEqual([invitation.issued_at, redeemed.redeemed_at]);
  });
});

test("the condition of a change to replaced tokens lets them have a successor, although they have ended", () => {
  const successor = "attribute_not_exists(successor_id)";
  expect(conditionOf(["replaced"])).toContain("OR attribute_exists(successor_id)");
  expect(conditionOf(["replaced"])).not.toContain(successor);
  expect(conditionOf(["active"])).toContain(successor);
});
