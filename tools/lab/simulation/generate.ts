import {
  type Call,
  emptySetup,
  type Fate,
  keyNames,
  type Operation,
  plainSchedule,
  promptFate,
  type Schedule,
  type TokenReference,
} from "./schedule.ts";
import { clientAddress, otherAddress } from "./situation.ts";
import { stories } from "./stories.ts";
import { createRandom, type Random } from "./world/random.ts";

const hour = 3_600_000;
export const pauses = [0, 0, 3, 20, 300, 1_200, 3_000, 6_000, 12_000];
const lifetimes = [null, 8_000, 120_000, hour];

/** The topic of a schedule, which makes its few operations affect the same things. */
interface Subject {
  /** How often each kind of call occurs. */
  calls: Partial<Record<Call["kind"], number>>;
  /** The maximum number of operations, not counting those that are made at the same moment. */
  most: number;
  /** The possible pauses between two calls of a client. */
  pauses: readonly number[];
}

const keyCalls = { create: 2, replace: 2, delete: 2, get: 1, list: 1 };
const tokenCalls = { issue: 1, update: 2, rotate: 2, revoke: 2, dismiss: 2, restore: 1, inspect: 1, tokens: 1 };

const subjects = {
  keys: { calls: keyCalls, most: 6, pauses },
  tokens: { calls: { ...tokenCalls, use: 7 }, most: 6, pauses },
  everything: { calls: { ...keyCalls, ...tokenCalls, use: 10 }, most: 6, pauses },
  "own tokens": {
    calls: {
      invite: 4,
      redeem: 30,
      confirm: 30,
      reject: 10,
      "rotate own": 8,
      move: 8,
      leave: 4,
      use: 8,
      rotate: 1,
      revoke: 1,
      inspect: 1,
      tokens: 1,
    },
    most: 9,
    // Two of these pauses are so long that a token can barely be requested again, or no longer.
    pauses: [...pauses, ...pauses, 600_000, 1_000_000],
  },
  workloads: {
    calls: {
      exchange: 12,
      use: 14,
      "rotate own": 4,
      rotate: 1,
      end_trust: 3,
      end_trust_tokens: 3,
      create_trust: 5,
      update_trust: 5,
      revoke: 1,
    },
    most: 10,
    pauses: [...pauses, ...pauses, 150_000, 300_000, 1_000_000],
  },
} satisfies Record<string, Subject>;

const subjectOf = (seed: number, random: Random): keyof typeof subjects => {
  if (seed % 6 === 5) return "own tokens";
  if (seed % 12 === 7) return "workloads";
  return random.pick(["keys", "keys", "tokens", "tokens", "everything"]);
};

/** Generates the schedule of a seed. */
export const generateSchedule = (seed: number): Schedule => {
  const random = createRandom(seed ^ 0x5eed);
  if (seed % 12 === 3) return tell(random.pick(stories), seed, random);
  const name = subjectOf(seed, random);
  const subject: Subject = subjects[name];
  // Each schedule has only some kinds of faults. Frequent ones would otherwise hide rare ones.
  const enabled = faults.filter(() => random.chance(0.5));
  const faultRate = random.pick([0.1, 0.2, 0.4]);
  const clients = 1 + random.below(3);
  const isCrowded = ["keys", "own tokens", "workloads"].includes(name) && random.chance(0.5);
  const operations: Operation[] = [];

  const add = (call: Call, changes: Partial<Operation> = {}): void => {
    const fates = Array.from({ length: 6 }, () => fateOf(random, enabled, faultRate));
    operations.push({
      id: operations.length,
      client: random.below(clients),
      environment: random.below(clients + 1),
      pause: random.pick(subject.pauses),
      call,
      fates: isCrowded && random.chance(0.1) ? whileAway(fates, random) : fates,
      ...changes,
    });
  };

  for (let left = 3 + random.below(subject.most - 2); left > 0; left -= 1) {
    const id = operations.length;
    const call = callOf(subject, random, operations);
    add(call);
    // Other clients make calls about the same thing at the same moment.
    if (isCrowded && random.chance(0.4)) {
      for (let rivals = 1 + random.below(2); rivals > 0; rivals -= 1) {
        const rival = random.chance(0.5) ? rivalOf(call) : callOf(subject, random, operations);
        add(rival, { beside: id, pause: random.pick([0, 0, 1, 5, 20, 100, 1_000]) });
      }
    }
  }
  return {
    ...plainSchedule(seed, operations),
    setup: {
      ...emptySetup,
      keys: keyNames.filter(() => random.chance(0.4)),
      forgotten: name === "keys" && random.chance(0.15) ? ["one"] : [],
      limit: name !== "keys" && random.chance(0.15) ? 1 + random.below(3) : null,
      isTrusted: name === "workloads",
      // In some schedules, the histories of the records are nearly full at the beginning.
      changes: seed % 9 === 4 ? 18 + (seed % 2) : 0,
    },
    deletions: isCrowded ? [random.below(20_000)] : [],
    // Clocks differ by up to five seconds.
    clockOffsets: Array.from({ length: clients + 1 }, () => random.pick([0, 2_500, -2_500, 2_490, -2_490, 1_000])),
  };
};

/** The distance between the operations of a story, which lets each end before the next one begins. */
const distance = 10_000;

/** Returns the schedule of a story in which one attempt of one operation meets a fault. */
const tell = (story: readonly Call[], seed: number, random: Random): Schedule => {
  const faulty = random.below(story.length);
  const fates = [...Array.from({ length: random.below(4) }, () => promptFate), fateOf(random, faults, 1)];
  const operations = story.map((call, id) => {
    return { id, client: id, environment: id, pause: id * distance, call, fates: id === faulty ? fates : [] };
  });
  const setup = { ...emptySetup, isTrusted: true };
  return { ...plainSchedule(seed, operations), setup };
};

/**
 * Returns a call that competes with the given call: the opposite decision, the end of the token that is being replaced, or the same
 * call.
 */
const rivalOf = (call: Call): Call => {
  if (call.kind === "confirm") return { ...call, kind: "reject" };
  if (call.kind === "reject") return { ...call, kind: "confirm" };
  return call.kind === "move" ? { ...call, kind: "leave" } : call;
};

const issuing = new Set<Call["kind"]>(["issue", "rotate", "redeem", "rotate own", "move", "exchange"]);
const asking = new Set<Call["kind"]>(["redeem", "move"]);
const repeatable = new Set<Call["kind"]>([...asking, "exchange"]);

/** Returns a call that is possible after the earlier calls. */
const callOf = (subject: Subject, random: Random, earlier: readonly Operation[]): Call => {
  const kinds = Object.entries(subject.calls).flatMap(([kind, count]) => Array<string>(count).fill(kind));
  const last = earlier.at(-1);
  // A client repeats its call, especially once its address has been confirmed.
  const asked = last && ("asked" in last.call ? earlier[last.call.asked] : last);
  if (asked && repeatable.has(asked.call.kind) && random.chance(0.25)) return asked.call;
  for (;;) {
    const call = callOfKind(random.pick(kinds) as Call["kind"], subject, random, earlier);
    if (call) return call;
  }
};

const callOfKind = (
  kind: Call["kind"],
  { calls }: Subject,
  random: Random,
  earlier: readonly Operation[],
): Call | undefined => {
  const idsOf = (isMeant: (call: Call) => boolean): number[] =>
    earlier.filter(({ call }) => isMeant(call)).map(({ id }) => id);
  // Usually the token of the setup or one of the most recent tokens, so that several calls are about the same token.
  const issued = idsOf((call) => issuing.has(call.kind)).slice(-2);
  const token: TokenReference =
    issued.length > 0 && ("exchange" in calls || random.chance(0.5)) ? random.pick(issued) : "setup";
  const from = random.chance(0.65) ? "home" : "away";
  const door = random.chance(0.7) ? "api" : "admin";
  const key = random.chance(0.8) ? "one" : "two";
  const letter = random.pick(["a", "b", "c"] as const);
  const condition = door === "api" && random.chance(0.3) ? { ifUnchanged: true } : {};
  const limit = random.pick([null, 1, 2, 3, 1_000]);
  const expiresAfter = random.pick(lifetimes);
  const graceSeconds = random.pick([0, 3, 3_600]);
  const tokenSeconds = random.pick([300, 3_600]);

  switch (kind) {
    case "create":
      return { kind, key, letter, door, token };
    case "replace":
      return { kind, key, letter, door, token, ...condition };
    case "delete":
      return { kind, key, door, token, ...condition };
    case "get":
      return { kind, key, door, token };
    case "list":
      return { kind, door, token };
    case "use":
      return {
        kind,
        token,
        as: random.pick(["itself", "itself", "itself", "itself", "wrong address", "wrong secret"]),
      };
    case "issue":
      return { kind, limit, expiresAfter };
    case "update":
      return { kind, token, ...random.pick([{ limit }, { limit }, { expiresAfter }, { limit, expiresAfter }]) };
    case "rotate":
      return { kind, token, graceSeconds };
    case "dismiss":
    case "restore":
      return { kind, token, ip: random.pick(["203.0.113.1", "203.0.113.2"]) };
    case "revoke":
    case "inspect":
      return { kind, token };
    case "invite":
      return { kind, isKnown: random.chance(0.4) };
    case "redeem": {
      const invitations = idsOf((call) => call.kind === "invite");
      return invitations.length === 0 ? undefined : { kind, token: random.pick(invitations), from };
    }
    case "rotate own":
      return { kind, token, from: random.chance(0.85) ? "home" : "away", graceSeconds };
    case "move":
      return { kind, token, from: random.chance(0.75) ? "away" : "home" };
    case "leave":
      return { kind, token, from };
    case "exchange":
      return { kind, token: "trust", from, jwt: random.below(2) };
    case "create_trust":
      return { kind, token: "trust", limit, expiresAfter, tokenSeconds };
    case "update_trust": {
      const ip = random.pick([null, clientAddress, otherAddress]);
      return { kind, token: "trust", ...random.pick([{ ip }, { ip }, { limit }, { expiresAfter }, { tokenSeconds }]) };
    }
    case "end_trust":
    case "end_trust_tokens":
      return { kind, token: "trust" };
    case "confirm":
    case "reject": {
      const requests = idsOf((call) => asking.has(call.kind));
      const isRecent = requests.at(-1) === earlier.length - 1;
      if (requests.length === 0 || !(isRecent || random.chance(0.2))) return undefined;
      const as = random.pick(["shown", "shown", "shown", "shown", "another address", "another code"] as const);
      return { kind, asked: isRecent ? earlier.length - 1 : random.pick(requests), as };
    }
    case "tokens":
      return { kind };
    case "daily run":
    case "page":
    case "record":
      return undefined;
  }
};

export const faults = ["lost", "broken", "refused", "killed", "late", "twice"] as const;

/** How late an attempt may arrive. After five minutes, its signature has expired. */
const latenesses = [300, 900, 1_500, 2_500, 4_000, 6_000, 9_000, 15_000, 60_000, 280_000];

/** Chooses the fate of an attempt. */
export const fateOf = (random: Random, enabled: readonly (typeof faults)[number][], faultRate: number): Fate => {
  const prompt: Fate = { ...promptFate, deliveries: [1 + random.below(30)], answerDelay: 1 + random.below(20) };
  if (enabled.length === 0 || !random.chance(faultRate)) {
    return random.chance(0.15) ? { ...prompt, deliveries: [random.below(900)] } : prompt;
  }
  const late = random.pick(latenesses) + random.below(50);
  const isUnseen = random.chance(0.3);
  switch (random.pick(enabled)) {
    case "late":
      return { ...prompt, deliveries: [late], answer: random.pick(["lost", "reset", "delivered"]) };
    case "twice":
      return { ...prompt, deliveries: [...prompt.deliveries, late] };
    case "lost":
      return isUnseen
        ? { ...prompt, deliveries: [], answer: random.pick(["lost", "reset"]) }
        : { ...prompt, answer: random.pick(["lost", "reset"]) };
    case "broken": {
      const answer = random.pick(["replaced", "wrong checksum", "internal error"] as const);
      return { ...prompt, answer, deliveries: isUnseen ? [] : prompt.deliveries };
    }
    case "refused": {
      const answer = random.pick(["throttled", "internal error", "expired token", "reset"] as const);
      return { ...prompt, deliveries: [], answer };
    }
    case "killed":
      return { ...prompt, deliveries: [random.chance(0.5) ? late : 2], kill: random.pick(["sent", "answered"]) };
  }
};

/** Makes the database carry out one more request, and then neither act nor respond for a while. */
const whileAway = (fates: readonly Fate[], random: Random): Fate[] => {
  const lost: Fate = { deliveries: [], answer: "reset", answerDelay: 2 };
  const away = Array.from({ length: 3 + random.below(5) }, () => lost);
  return [...fates.slice(0, 1 + random.below(2)), { ...lost, deliveries: [2] }, ...away];
};
