import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isIn,
  lifeCycle,
  phaseOf,
  type Transition,
  tokenState,
} from "../../../../lambdas/resources/tokens/life-cycle.ts";
import { type Phase, phases, tokenStates } from "../../../../lambdas/resources/tokens/token-state.ts";
import type { TokenRecord } from "../../../../lambdas/resources/tokens/token-store.ts";
import { inMs, newToken } from "../../../../tools/support/tokens.ts";
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
});
