import { isEnded, type Scope } from "./life.ts";
import { perform } from "./model.ts";
import { lostAnswerProblem, promises } from "./promises.ts";
import { tokenKey } from "./service-states.ts";
import { beginning, nextSteps, type Perform, type Step, type World } from "./world.ts";

/** A broken promise, with the shortest way to it. */
export interface Broken {
  promise: string;
  problem: string;
  steps: Step[];
}

export interface Explored {
  states: number;
  transitions: number;
  /** The most steps from the beginning to a state. */
  depth: number;
  broken?: Broken;
}

interface Reached {
  world: World;
  depth: number;
  by?: { step: Step; before: Reached };
}

interface ExploreOptions {
  /** The service's step. Default: the model's step. */
  act?: Perform;
  /** The most steps from the beginning. Default: everything that can be reached. */
  steps?: number;
}

/** Visits everything that can happen, the nearest first, until a promise is broken. */
export const exploreLifeCycle = (
  scope: Scope,
  { act = perform, steps = Number.POSITIVE_INFINITY }: ExploreOptions = {},
): Explored => {
  const first: Reached = { world: beginning, depth: 0 };
  const queue = [first];
  const seen = new Set([keyOf(beginning)]);
  let transitions = 0;
  let depth = 0;

  for (let place = 0; ; place += 1) {
    const reached = queue[place];
    if (!reached) break;
    const { world } = reached;
    depth = reached.depth;
    if (depth === steps) break;
    for (const step of nextSteps(world, scope, act)) {
      transitions += 1;
      const counted = { states: seen.size, transitions, depth };
      const found = problemOf(world, step);
      if (found) return { ...counted, broken: { ...found, steps: [...stepsTo(reached), step] } };
      const key = keyOf(step.world);
      if (seen.has(key)) continue;
      seen.add(key);
      const next = { world: step.world, depth: depth + 1, by: { step, before: reached } };
      const problem = lostAnswerProblem(step.world, scope, act);
      if (problem)
        return { ...counted, broken: { promise: "a lost answer does no harm", problem, steps: stepsTo(next) } };
      queue.push(next);
    }
  }
  return { states: seen.size, transitions, depth };
};

const problemOf = (before: World, step: Step): Pick<Broken, "promise" | "problem"> | undefined => {
  for (const [promise, check] of Object.entries(promises)) {
    const problem = check(before, step);
    if (problem !== undefined) return { promise, problem };
  }
  return undefined;
};

const stepsTo = (reached: Reached): Step[] => {
  const steps: Step[] = [];
  for (let at: Reached | undefined = reached; at?.by; at = at.by.before) steps.unshift(at.by.step);
  return steps;
};

/** A text that two worlds share only if no future step can distinguish them. */
const keyOf = ({ tokens, memories, knows, isCopied }: World): string => {
  const parts = tokens.map((token, place) => {
    const { handedTo, acceptedFrom, age, isKnownRevoked, confirmed } = memories[place] ?? {};
    const key = tokenKey(token, tokens.length > place + 1);
    return isEnded(token) ? [key, isKnownRevoked] : [key, handedTo, acceptedFrom, age, isKnownRevoked, confirmed];
  });
  return JSON.stringify([parts, knows.client, knows.thief, isCopied]);
};
