import { type Contender, fileFor } from "../contenders.ts";
import { type RequestName, requests } from "./events.ts";
import { type Sample, type Surroundings, sample } from "./run-child.ts";

interface Plan {
  request: RequestName;
  rounds: number;
  /** Calls before the timed ones, after the first. */
  warmUp?: number;
  calls?: number;
}

/** A sample for each round, by the contender's name. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/**
 * Measures every contender in each round, each time in a new process, and begins each round with a different one: whatever
 * slows the machine down for a while affects all of them.
 */
export const runRounds = async (
  contenders: readonly Contender[],
  { request, rounds, warmUp = 0, calls = 0 }: Plan,
  surroundings: Surroundings,
): Promise<Samples> => {
  const { event } = requests[request];
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
  // The first round only warms up the operating system's file cache.
  for (let round = -1; round < rounds; round += 1) {
    const first = Math.max(round, 0) % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const isCounted = round >= 0;
      const task = { bundle: fileFor(contender, request), event, ...(isCounted && { warmUp, calls }) };
      const one = await sample(task, surroundings);
      if (isCounted) samples.get(contender.name)?.push(one);
    }
  }
  return samples;
};
