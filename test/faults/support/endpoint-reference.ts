import { type StoreName, storeNames } from "../../../lambdas/resources/stores.ts";
import type { OperationExample } from "../../../tools/support/examples.ts";
import { type Contents, exampleStates, type StateName, stateNames } from "../../../tools/support/table-states.ts";
import type { Call } from "./fault-proxy.ts";
import type { Lane, LaneAnswer } from "./lane.ts";

/** The part of a request that a call to the database is for. */
export type Target = "look-up" | "limit" | "work";

/** The limit of a caller whose requests are counted. No test reaches it. */
const limit = 1_000;

/** Prepares the tables for an example and returns the caller's token. */
export const prepare = async (lane: Lane, state: StateName, { isLimited }: { isLimited: boolean }) => {
  await lane.tables.fill(exampleStates[state]);
  return lane.storedToken(isLimited ? { rate_limit: limit } : {});
};

/** The part of a request that a call is for, given the caller's token. */
export const targetOf =
  ({ functions }: Lane, tokenId: string) =>
  (call: Call): Target => {
    if (!call.body.includes(tokenId)) return "work";
    if (call.table === functions.tableOf("limits")) return "limit";
    return call.table === functions.tableOf("tokens") && call.operation === "GetItem" ? "look-up" : "work";
  };

/** The effect of an example without faults. */
export interface Reference {
  example: OperationExample;
  /** The state of the tables in which the example succeeds, preferably one that it changes. */
  state: StateName;
  /** The parts of the request that call the database. */
  targets: Set<Target>;
  before: Snapshot;
  after: Snapshot;
  body: string;
  /** The status of the same request, sent again. */
  repeatedStatus: number;
  afterRepeat: Snapshot;
}

/** The contents of the tables as text, without values that differ from run to run. */
export type Snapshot = string;

/** Finds the state in which an example succeeds, and its effect there. */
export const findReference = async (lane: Lane, example: OperationExample): Promise<Reference> => {
  const references: Reference[] = [];
  for (const state of stateNames) references.push(...(await tryState(lane, example, state)));
  const [first] = references;
  if (!first) {
    throw new Error(
      `The example of ${example.operation.functionName} succeeds with none of the tables ${stateNames.join(", ")}: ` +
        "let it refer to the example records of the tables.",
    );
  }
  const changing = references.find(({ before, after }) => before !== after);
  return changing ?? references.find(({ state }) => state === "filled") ?? first;
};

const tryState = async (lane: Lane, example: OperationExample, state: StateName): Promise<Reference[]> => {
  const { text: token, record } = await prepare(lane, state, { isLimited: true });
  const targets = new Set<Target>();
  const target = targetOf(lane, record.token_id);
  const observer = lane.proxy.inject({
    matches: (call) => targets.add(target(call)) && false,
    fault: () => {},
    times: 1,
  });
  const snapshot = async () => snapshotOf(await lane.tables.contents(), record.token_id);
  const before = await snapshot();
  const first = await lane.call(example.request, token);
  observer.remove();
  if (first.status >= 300) return [];
  const after = await snapshot();
  const repeated = await lane.call(example.request, token);
  return [
    {
      example,
      state,
      targets,
      before,
      after,
      body: lastingBody(first),
      repeatedStatus: repeated.status,
      afterRepeat: await snapshot(),
    },
  ];
};

/** A snapshot of the tables, without the caller's own token and counters. */
export const snapshotOf = (contents: Contents, callerId: string): Snapshot =>
  JSON.stringify(
    storeNames.map((store: StoreName) =>
      contents[store]
        .map((item) => JSON.stringify(Object.entries(item).toSorted()))
        .filter((item) => !item.includes(callerId))
        .toSorted(),
    ),
  );

/** The body of a response, without its times and the fields about the caller's token. */
export const lastingBody = ({ text }: LaneAnswer): string =>
  text.replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"a time"').replace(/"[0-9A-HJKMNP-TV-Z]{26}"/g, '"an id"');
