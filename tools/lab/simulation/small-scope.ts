import type { Run } from "./execute.ts";
import { type Call, emptySetup, type Fate, plainSchedule, promptFate, type Schedule } from "./schedule.ts";
import { clientAddress, otherAddress } from "./situation.ts";

/*
 * The small scope: every order of some of these operations, each at most once, on one token and one key. Each order runs without
 * faults and with each single fault at each attempt.
 */
const calls: readonly Call[] = [
  { kind: "create", key: "one", letter: "b", door: "api", token: "setup" },
  { kind: "replace", key: "one", letter: "c", door: "api", token: "setup" },
  { kind: "delete", key: "one", door: "api", token: "setup" },
  { kind: "get", key: "one", door: "api", token: "setup" },
  { kind: "use", token: "setup", as: "itself" },
  { kind: "update", token: "setup", limit: 2 },
  { kind: "rotate", token: "setup", graceSeconds: 3_600 },
  { kind: "revoke", token: "setup" },
];

/*
 * Clients' calls for their own tokens. Calls whose response might be lost are repeated. Operation ids are positions in the order.
 */
const ownTokenOrders: readonly (readonly Call[])[] = [
  [
    { kind: "rotate own", token: "setup", from: "home", graceSeconds: 0 },
    { kind: "rotate own", token: "setup", from: "home", graceSeconds: 0 },
    { kind: "use", token: 0, as: "itself" },
  ],
  [
    { kind: "invite", isKnown: true },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "use", token: 1, as: "itself" },
    { kind: "leave", token: 1, from: "away" },
  ],
  [
    { kind: "invite", isKnown: false },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "confirm", asked: 1, as: "shown" },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "redeem", token: 0, from: "home" },
    { kind: "use", token: 3, as: "itself" },
  ],
  [
    { kind: "move", token: "setup", from: "away" },
    { kind: "confirm", asked: 0, as: "shown" },
    { kind: "move", token: "setup", from: "away" },
    { kind: "move", token: "setup", from: "away" },
    { kind: "use", token: "setup", as: "itself" },
    { kind: "revoke", token: "setup" },
  ],
  [
    { kind: "move", token: "setup", from: "away" },
    { kind: "reject", asked: 0, as: "shown" },
    { kind: "move", token: "setup", from: "away" },
    { kind: "leave", token: "setup", from: "away" },
  ],
  [
    { kind: "create_trust", token: "trust" },
    { kind: "exchange", token: "trust", from: "home", jwt: 0 },
    { kind: "exchange", token: "trust", from: "home", jwt: 0 },
    { kind: "use", token: 1, as: "itself" },
    { kind: "end_trust", token: "trust" },
    { kind: "create_trust", token: "trust" },
    { kind: "use", token: 1, as: "itself" },
  ],
  [
    { kind: "create_trust", token: "trust" },
    { kind: "exchange", token: "trust", from: "home", jwt: 0 },
    { kind: "rotate own", token: 1, from: "home", graceSeconds: 0 },
    { kind: "use", token: 2, as: "itself" },
    { kind: "update_trust", token: "trust", ip: otherAddress },
    { kind: "use", token: 2, as: "itself" },
    { kind: "update_trust", token: "trust", ip: clientAddress },
    { kind: "use", token: 2, as: "itself" },
  ],
];

/** The distance between operations, which lets each end before the next one begins. */
const distance = 10_000;

/**
 * Returns the orders of the small scope: every order of up to this many operations, and the sensible orders of clients' calls for
 * their own tokens.
 */
export const ordersUpTo = (length: number): (readonly Call[])[] => {
  const extend = (orders: Call[][]): Call[][] =>
    orders.flatMap((order) => calls.filter((call) => !order.includes(call)).map((call) => [...order, call]));
  const all: (readonly Call[])[] = [];
  let orders: Call[][] = [[]];
  for (let round = 0; round < length; round += 1) {
    orders = extend(orders);
    all.push(...orders);
  }
  return [...all, ...ownTokenOrders];
};

/**
 * Returns the schedule of an order without faults, on one environment. It begins with a key, so that the operations have something
 * to change.
 */
export const scheduleOf = (seed: number, order: readonly Call[]): Schedule => ({
  ...plainSchedule(
    seed,
    order.map((call, id) => ({ id, client: id, environment: 0, pause: id * distance, call, fates: [] })),
  ),
  setup: { ...emptySetup, keys: ["one"] },
});

/** Yields the schedule of a run without faults, with each single fault at each attempt that the run made. */
export function* withOneFault({ schedule, chronicle }: Run): Generator<Schedule> {
  const { operations } = schedule;
  for (const { operation: id, number, action } of chronicle.attempts) {
    const index = operations.findIndex((operation) => operation.id === id);
    const operation = operations[index];
    // The final calls are made without faults.
    if (!operation) continue;
    // A read that arrives late is like a read that never arrives, and a read that arrives twice is not a fault.
    const faults = reads.has(action) ? answerFaults : [...lateDeliveries(operations.length - index), ...answerFaults];
    for (const fate of faults) {
      const fates = [...Array.from({ length: number }, () => promptFate), fate];
      yield { ...schedule, operations: operations.with(index, { ...operation, fates }) };
    }
  }
}

const reads = new Set(["GetItem", "Scan", "Query"]);

/** Returns the ways in which an attempt can arrive late: after the end of its own operation, or of one of the following ones. */
const lateDeliveries = (ends: number): Fate[] =>
  Array.from({ length: ends }, (_, index) => (index + 1) * distance - 1_000).flatMap((late): Fate[] => [
    { ...promptFate, deliveries: [late], answer: "lost" },
    { ...promptFate, deliveries: [...promptFate.deliveries, late] },
    { ...promptFate, deliveries: [late], answer: "lost", kill: "sent" },
  ]);

const answerFaults: readonly Fate[] = [
  ...(["lost", "throttled", "expired token"] as const).map((answer) => ({ ...promptFate, deliveries: [], answer })),
  ...(["reset", "replaced", "wrong checksum", "internal error"] as const).map((answer) => ({
    ...promptFate,
    answer,
  })),
  { ...promptFate, deliveries: [], answer: "lost", kill: "sent" },
  { ...promptFate, kill: "answered" },
];
