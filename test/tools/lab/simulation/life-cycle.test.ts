import { expect, test } from "vitest";
import { lifeCycle, type Transition } from "../../../../lambdas/domain/tokens/life-cycle.ts";
import { phaseIn } from "../../../../tools/lab/simulation/life-cycle/life.ts";
import { replayStates } from "../../../../tools/lab/simulation/life-cycle/replay.ts";
import { exploreStates, type ServiceState } from "../../../../tools/lab/simulation/life-cycle/states.ts";

test("the model of a token's life has exactly the phase transitions of the service's life cycle", () => {
  const table = Object.values<Transition>(lifeCycle).flatMap(({ from, to }) =>
    from.filter((phase) => phase !== to).map((phase) => `${phase} -> ${to}`),
  );
  const observed = [
    { tokens: 1, requests: 2 },
    { tokens: 2, requests: 1 },
  ].flatMap((scope) => exploreStates(scope).states.flatMap(stepsFrom));
  // A rotation without a grace period makes two steps at once.
  const expected = [...table, "active -> replaced", "moving -> replaced"];
  expect(new Set(observed)).toEqual(new Set(expected));
});

test("the functions answer like the model, for one transition of each kind", async () => {
  const scope = { tokens: 2, requests: 2 };
  const { states } = exploreStates(scope);
  expect((await replayStates(states, { scope, isComplete: false })).difference).toBeUndefined();
});

const stepsFrom = ({ tokens, transitions }: ServiceState): string[] =>
  transitions.flatMap(({ outcome }) =>
    tokens.flatMap((token, place) => {
      const now = outcome.tokens[place];
      const from = phaseIn(token, tokens.length > place + 1);
      const to = now && phaseIn(now, outcome.tokens.length > place + 1);
      return to === undefined || to === from ? [] : [`${from} -> ${to}`];
    }),
  );
