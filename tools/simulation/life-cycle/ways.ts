import type { ServiceState, Transition } from "./service-states.ts";

/** How a state is reached. */
interface Way {
  from: ServiceState;
  transition: Transition;
}

/** The first transition that leads to each state. */
export const firstWays = (states: readonly ServiceState[]): Map<ServiceState, Way> => {
  const first = new Map<ServiceState, Way>();
  for (const from of states) {
    for (const transition of from.transitions) {
      if (!first.has(transition.to)) first.set(transition.to, { from, transition });
    }
  }
  return first;
};

interface WantedOptions {
  first: ReadonlyMap<ServiceState, Way>;
  isWanted: (from: ServiceState, transition: Transition) => boolean;
}

/** The transitions to make in each state: the wanted ones, and those on the first way to each of their states. */
export const wantedTransitions = (
  states: readonly ServiceState[],
  { first, isWanted }: WantedOptions,
): Map<ServiceState, Transition[]> => {
  const wanted = new Map<ServiceState, Set<Transition>>();
  const add = (from: ServiceState, transition: Transition): void => {
    const already = wanted.get(from);
    if (already?.has(transition)) return;
    wanted.set(from, new Set([...(already ?? []), transition]));
    const way = from.tokens.length === 0 ? undefined : first.get(from);
    if (way && !wanted.get(way.from)?.has(way.transition)) add(way.from, way.transition);
  };
  for (const from of states)
    for (const transition of from.transitions) if (isWanted(from, transition)) add(from, transition);
  return new Map([...wanted].map(([from, transitions]) => [from, [...transitions]]));
};
