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
import { type Phase, phases, tokenStates } from "../../../../lambdas/resources/tokens/token-state.ts";
import type { TokenRecord } from "../../../../lambdas/resources/tokens/token-store.ts";
import { decided, hourMs, inMs, newInvitation, newToken, requestField } from "../../../../tools/support/tokens.ts";
import { recordIn } from "../../support/token-phases.ts";

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

  test("that was rotated is active until its grace ends", () => {
    const rotated = {
      ...record,
      successor_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      rotated_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-02T00:00:00.000Z",
    };
    expect(tokenState(rotated, "2026-01-01T23:59:59.999Z")).toBe("active");
    expect(tokenState(rotated, "2026-01-02T00:00:00.000Z")).toBe("expired");
  });
});

describe("the life of a token", () => {
  const allPhases = Object.keys(phases) as Phase[];
  const now = inMs(0);

  test.for(allPhases)("has the phase %s, which its record shows", (phase) => {
    expect(phaseOf(recordIn(phase), inMs(0))).toBe(phase);
  });

  test("has only phases that it can reach, and ends only by expiry or revocation", () => {
    const transitions = Object.values<Transition>(lifeCycle);
    expect(new Set(transitions.map(({ to }) => to))).toEqual(new Set(allPhases));
    const last = allPhases.filter((phase) => !transitions.some(({ from }) => from.includes(phase)));
    expect(last).toEqual(["expired", "revoked"]);
  });

  test("shows admins each state that a phase can have", () => {
    expect(new Set(Object.values(phases))).toEqual(new Set(tokenStates));
  });

  test("cannot be revoked twice, and nothing but that can happen to every token that has not ended", () => {
    const everywhere = Object.entries<Transition>(lifeCycle).filter(
      ([, { from }]) => from.length === allPhases.length - 2,
    );
    expect(everywhere.map(([name]) => name)).toEqual(["revoke"]);
    const revoked: TokenRecord = recordIn("revoked");
    expect(Object.values<Transition>(lifeCycle).some(({ from }) => isIn(from, revoked, now))).toBe(false);
  });

  test.for(Object.keys(lifeCycle) as TransitionName[])(
    "has transitions that the documentation explains: %s",
    (name) => {
      expect(transitionGuide[name]).toEqual({
        by: expect.stringMatching(/^(admin|client|time)$/),
        cause: expect.stringMatching(/\w/),
      });
    },
  );
});

describe("a request to move", () => {
  const phaseWith = (...fields: Parameters<typeof requestField>) =>
    phaseOf({ ...record, request: requestField(...fields) }, inMs(0));

  test("ends with a rejection, and 15 minutes after it was made or confirmed", () => {
    expect(phaseWith(decided("rejected"))).toBe("active");
    expect(phaseWith({ requested_at: inMs(-hourMs) })).toBe("active");
    expect(phaseWith({ ...decided("confirmed"), decided_at: inMs(-hourMs) })).toBe("active");
  });

  test("is not what a redeemed invitation has: the request for its own address", () => {
    expect(phaseWith({ ip: record.ip })).toBe("active");
    expect(phaseWith({ ip: record.ip, ...decided("confirmed") })).toBe("active");
  });
});

describe("an invitation", () => {
  const { record: invitation } = newInvitation();
  const redeemed = { ...invitation, redeemed_at: "2026-01-02T00:00:00.000Z" };

  test("is no longer one after it has been redeemed, which is when its token began", () => {
    expect([record, invitation, redeemed].map(isUnredeemed)).toEqual([false, true, false]);
    expect(beganAt(invitation)).toBe(invitation.issued_at);
    expect(beganAt(redeemed)).toBe(redeemed.redeemed_at);
  });
});

describe("a token that does not exist", () => {
  test("can only begin its life", () => {
    const names = Object.entries<Transition>(lifeCycle).filter(([, { from }]) => isIn(from, undefined, inMs(0)));
    expect(names.map(([name]) => name)).toEqual(["issue", "succeed", "invite"]);
  });
});

test("the condition of a change to replaced tokens lets them have a successor, although they have ended", () => {
  const successor = "attribute_not_exists(successor_id)";
  expect(conditionOf(["replaced"])).toContain("OR attribute_exists(successor_id)");
  expect(conditionOf(["replaced"])).not.toContain(successor);
  expect(conditionOf(["active"])).toContain(successor);
});
