import { describe, expect, test } from "vitest";
import { oneOfEachKind } from "../../../../tools/simulation/life-cycle/phases.ts";
import { replay } from "../../../../tools/simulation/life-cycle/replay.ts";
import { differenceText } from "../../../../tools/simulation/life-cycle/report-life-cycle.ts";
import { serviceStates } from "../../../../tools/simulation/life-cycle/service-states.ts";
import { ownTokenPlants } from "../../../../tools/simulation/plants/own-tokens.ts";
import { withVirtualGlobals } from "../../../../tools/simulation/world/virtual-globals.ts";

const scope = { tokens: 2, requests: 2 };
const states = serviceStates(scope);
const isOfNewKind = oneOfEachKind();
const wanted = new Set(states.flatMap((from) => from.transitions.filter((one) => isOfNewKind(from, one))));

const replayEachKind = (plant?: (typeof ownTokenPlants)[string]) =>
  withVirtualGlobals(() => replay(states, { scope, plant, isWanted: (_, transition) => wanted.has(transition) }));

test("the real functions make each kind of transition as the model does, in their responses and in their records", async () => {
  const { difference, transitions } = await replayEachKind();
  expect(difference && differenceText(difference)).toBeUndefined();
  expect(transitions).toBeGreaterThan(1_000);
});

describe("a bug in the real functions differs from the model", () => {
  test.each([
    "a confirmation ignores the address",
    "a confirmation ignores the code",
    "a text can be derived after its first use",
    "a repeated call gives another text",
    "a token cannot be revoked from elsewhere",
  ])("%s", async (name) => {
    expect((await replayEachKind(ownTokenPlants[name])).difference).toBeDefined();
  });
});
