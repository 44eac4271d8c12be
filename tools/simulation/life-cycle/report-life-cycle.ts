import { exploreOwnTokens } from "../explore.ts";
import type { CreatePlant } from "../open-functions.ts";
import { failureReport } from "../report.ts";
import { withVirtualGlobals } from "../world/virtual-globals.ts";
import { type Broken, exploreLifeCycle } from "./explore-life-cycle.ts";
import type { Scope } from "./life.ts";
import { type Difference, replay } from "./replay.ts";
import { serviceStates } from "./service-states.ts";

interface ReportOptions {
  plant: CreatePlant | undefined;
  onProgress: (transitions: number) => void;
}

interface Reported {
  text: string;
  isFailure: boolean;
}

/** Explores the model, replays it on the real functions, tries single faults, and reports the result of each. */
export async function* reportLifeCycle(scope: Scope, { plant, onProgress }: ReportOptions): AsyncGenerator<Reported> {
  const explored = timed(() => exploreLifeCycle(scope));
  const { states, transitions, depth, broken } = explored.result;
  const size = `${states} states and ${transitions} transitions, up to ${depth} steps deep`;
  yield {
    text: broken ? brokenText(broken) : `The model keeps its promises in ${size} (${explored.seconds} s).`,
    isFailure: broken !== undefined,
  };

  const began = performance.now();
  const replayed = await withVirtualGlobals(() => replay(serviceStates(scope), { scope, plant, onProgress }));
  const made = `${replayed.transitions} transitions between ${replayed.states} states of the service`;
  yield {
    text: replayed.difference
      ? differenceText(replayed.difference)
      : `The real functions make ${made} as the model does (${secondsSince(began)} s).`,
    isFailure: replayed.difference !== undefined,
  };

  const beganOrders = performance.now();
  const { failure, schedules } = await withVirtualGlobals(() => exploreOwnTokens(undefined, plant));
  yield {
    text: failure
      ? failureReport(failure)
      : `No single fault at any attempt does harm, in ${schedules} schedules (${secondsSince(beganOrders)} s).`,
    isFailure: failure !== undefined,
  };
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1000).toFixed(1);

const timed = <Result>(work: () => Result): { result: Result; seconds: string } => {
  const began = performance.now();
  const result = work();
  return { result, seconds: secondsSince(began) };
};

export const brokenText = ({ promise, problem, steps }: Broken): string =>
  [
    `The model does not keep its promise: ${promise}. ${problem}`,
    ...steps.map(({ event, answer }) => `  ${JSON.stringify(event)} ${JSON.stringify(answer ?? "")}`),
  ].join("\n");

export const differenceText = ({ problem, calls }: Difference): string =>
  [`The real functions differ from the model: ${problem}`, ...calls.map((call) => `  ${JSON.stringify(call)}`)].join(
    "\n",
  );
