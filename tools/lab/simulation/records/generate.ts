import { indexMilliseconds } from "../../../../lambdas/dynamodb/change-feed-cursor.ts";
import { fateOf, faults, pauses } from "../generate.ts";
import { emptySetup, type Operation, plainSchedule, type Schedule } from "../schedule.ts";
import { createRandom, type Random } from "../world/random.ts";
import {
  type ChangeName,
  type Content,
  type FeedName,
  feeds,
  type RecordCall,
  type RecordName,
  type RecordStep,
  recordChanges,
  recordNames,
} from "./tables.ts";

const changeNames = Object.keys(recordChanges) as ChangeName[];

/** The relative frequency of each operation. */
const weights = { create: 3, put: 3, update: 6, delete: 3, get: 1, transaction: 4 };
type OperationName = keyof typeof weights;
const operationNames = Object.entries(weights).flatMap(([name, count]) =>
  Array<OperationName>(count).fill(name as OperationName),
);

/**
 * Delays and pauses with which the changes that readers follow appear, or nearly do. Delays are milliseconds until an index has a
 * write. They are used in turn, one for each write.
 */
const feedDelays = [[0], [0, indexMilliseconds - 1], [indexMilliseconds - 1], [0, 20, 5_000]];
const feedPauses = [...pauses, 9_000, 20_000, 31_000, 40_000];
const feedNames = Object.keys(feeds) as FeedName[];

/** Generates the schedule of a seed for the stores of records. */
export const generateRecordSchedule = (seed: number): Schedule => {
  const random = createRandom(seed ^ 0x7ec0);
  const enabled = faults.filter(() => random.chance(0.5));
  const faultRate = random.pick([0.1, 0.2, 0.4]);
  const conflictRate = random.pick([0, 0, 0.2]);
  const clients = 1 + random.below(3);
  const isCrowded = random.chance(0.5);
  // Most calls are about the same records, with a few kinds of change.
  const favourites = [random.pick(recordNames), random.pick(recordNames)];
  const usual = [random.pick(changeNames), random.pick(changeNames)];
  const one: Topic = { random, favourites, usual };
  // In every third schedule, readers follow the changes.
  const isFollowed = seed % 3 === 0;
  const operations: Operation[] = [];

  const add = (call: RecordCall, changes: Partial<Operation> = {}): void =>
    void operations.push({
      id: operations.length,
      client: random.below(clients),
      environment: random.below(clients + 1),
      pause: random.pick(isFollowed ? feedPauses : pauses),
      call,
      fates: Array.from({ length: 6 }, () => fateOf(random, enabled, faultRate)).map((fate) => {
        const isConflict = fate.answer === "throttled" || (conflictRate > 0 && random.chance(conflictRate));
        return isConflict ? { ...fate, answer: "conflict" as const } : fate;
      }),
      ...changes,
    });

  // Usually one reader follows the changes of the records that most calls are about.
  const favourite = feedNames.filter((feed) => feeds[feed].some((name) => name === favourites[0]));
  const follow = (): void => {
    const reader = random.pick([0, 0, random.below(clients)]);
    const call: RecordCall = {
      kind: "record",
      operation: "follow",
      reader,
      feed: random.pick(random.chance(0.7) ? favourite : feedNames),
      limit: 1 + random.below(2),
      pages: 1 + random.below(3),
      ...(random.chance(0.2) && { isForgotten: true }),
    };
    add(call, { client: reader });
  };

  for (let left = 3 + random.below(5); left > 0; left -= 1) {
    const id = operations.length;
    const call = callOf(one);
    add(call);
    if (isFollowed) follow();
    // Other clients make the same call, or another one, at the same moment.
    if (!isCrowded || !random.chance(0.5)) continue;
    for (let rivals = 1 + random.below(2); rivals > 0; rivals -= 1) {
      add(random.chance(0.5) ? call : callOf(one), { beside: id, pause: random.pick([0, 0, 1, 5, 20, 100, 1_000]) });
    }
  }
  return {
    ...plainSchedule(seed, operations),
    setup: { ...emptySetup, records: recordNames.filter(() => random.chance(0.5)) },
    isOfRecords: true,
    ...(isFollowed && { indexDelays: random.pick(feedDelays) }),
    deletions: isCrowded ? [random.below(20_000)] : [],
    clockOffsets: Array.from({ length: clients + 1 }, () => random.pick([0, 0, 0, 2_490, -2_490, 1_000])),
  };
};

interface Topic {
  random: Random;
  favourites: readonly RecordName[];
  usual: readonly ChangeName[];
}

const callOf = (topic: Topic): RecordCall => {
  const { random } = topic;
  const operation = random.pick(operationNames);
  const name = nameOf(topic);
  const ifUnchanged = operation !== "create" && random.chance(0.3) ? { ifUnchanged: true } : {};
  switch (operation) {
    case "get":
      return { kind: "record", operation, name };
    case "transaction": {
      const names = new Set([name, ...Array.from({ length: 1 + random.below(3) }, () => nameOf(topic))]);
      return { kind: "record", operation, steps: [...names].map((each) => stepOf(each, random.pick(changing), topic)) };
    }
    default:
      return { kind: "record", ...stepOf(name, operation, topic), ...ifUnchanged };
  }
};

const changing = ["create", "put", "update", "update", "update", "delete"] as const;

const nameOf = ({ random, favourites }: Topic): RecordName =>
  random.chance(0.7) ? random.pick(favourites) : random.pick(recordNames);

const stepOf = (name: RecordName, operation: RecordStep["operation"], { random, usual }: Topic): RecordStep => {
  switch (operation) {
    case "create":
    case "put":
      return { name, operation, content: contentFor(random) };
    case "update":
      return { name, operation, change: random.chance(0.7) ? random.pick(usual) : random.pick(changeNames) };
    case "delete":
      return { name, operation, ...(random.chance(0.3) && { states: ["open", "sent"] }) };
  }
};

const contentFor = (random: Random): Content => ({
  state: random.chance(0.7) ? "open" : "packed",
  count: random.below(3),
  ...(random.chance(0.3) && { note: "first" }),
  ...(random.chance(0.3) && { size: { width: 1 + random.below(2), height: 2 } }),
});
