import {
  type Call,
  emptySetup,
  type Fate,
  keyNames,
  type Operation,
  plainSchedule,
  promptFate,
  type Schedule,
  sendingFates,
  type TokenReference,
} from "./schedule.ts";
import { clientAddress, otherAddress } from "./situation.ts";
import { createRandom, type Random } from "./world/random.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The topic of a schedule, which makes its few operations affect the same things. */
interface Subject {
  /** Whether the schedule lasts for months. It then has one client and an admin, whose calls are about tokens that they issue. */
  isLong?: boolean;
  /** How often each kind of call occurs. */
  calls: Partial<Record<Call["kind"], number>>;
  /** The minimum and maximum number of operations, not counting those that are made at the same moment. */
  size: readonly [number, number];
  /** The possible pauses between two calls of a client. */
  pauses: readonly number[];
  lifetimes: readonly (number | null)[];
  graceSeconds: readonly number[];
}

const short = {
  size: [3, 6],
  pauses: [0, 0, 3, 20, 300, 1_200, 3_000, 6_000, 12_000],
  lifetimes: [null, 8 * second, hour],
  graceSeconds: [0, 3, 3_600],
} as const;

const keyCalls = { create: 2, replace: 2, delete: 2, get: 1, list: 1 };
const tokenCalls = { issue: 1, update: 2, rotate: 2, revoke: 2, dismiss: 2, restore: 1, inspect: 1, tokens: 1 };

const subjects = {
  keys: { ...short, calls: keyCalls },
  tokens: { ...short, calls: { ...tokenCalls, use: 7 } },
  limits: { ...short, calls: { ...keyCalls, use: 8, update: 2, rotate: 1 } },
  usage: { ...short, calls: { deliver: 1, use: 1 } },
  everything: { ...short, calls: { ...keyCalls, ...tokenCalls, use: 10, deliver: 10 } },
  "own tokens": {
    ...short,
    calls: {
      ...{ invite: 4, redeem: 30, confirm: 30, reject: 10, "rotate own": 8, move: 8, leave: 4, use: 8 },
      ...{ rotate: 1, revoke: 1, inspect: 1, tokens: 1 },
    },
    size: [3, 9],
    // Two of these pauses are so long that a token can barely be requested again, or no longer.
    pauses: [...short.pauses, ...short.pauses, 600_000, 1_000_000],
  },
  workloads: {
    ...short,
    calls: {
      ...{ exchange: 12, use: 14, "rotate own": 4, rotate: 1, end_trust: 3, end_trust_tokens: 3, create_trust: 5 },
      ...{ update_trust: 5, revoke: 1 },
    },
    size: [4, 10],
    pauses: [...short.pauses, ...short.pauses, 150_000, 300_000, 1_000_000],
    lifetimes: [null, 8 * second, 2 * minute, hour],
  },
  // The pauses are within the time for a confirmation, and around the times at which notices are due.
  notices: {
    isLong: true,
    calls: {
      ...{ use: 8, deliver: 4, invite: 2, redeem: 7, confirm: 7, reject: 2, "rotate own": 2, rotate: 2, move: 2 },
      ...{ update: 2, issue: 2, revoke: 1, "daily run": 12 },
    },
    size: [12, 30],
    pauses: [minute, minute, 10 * minute, 5 * hour, 11 * hour, 20 * hour, day, 6 * day, 25 * day, 91 * day],
    lifetimes: [null, 12 * hour, 2 * day, 8 * day, 32 * day, 100 * day],
    graceSeconds: [0, 3_600, 36 * 3_600, 36 * 3_600, 7 * 24 * 3_600],
  },
} satisfies Record<string, Subject>;

const subjectOf = (seed: number, random: Random): keyof typeof subjects => {
  if (seed % 12 === 3) return "notices";
  if (seed % 6 === 5) return "own tokens";
  if (seed % 12 === 7) return "workloads";
  return random.pick(["keys", "keys", "tokens", "tokens", "limits", "usage", "everything"]);
};

/** Generates the schedule of a seed. */
export const generateSchedule = (seed: number): Schedule => {
  const random = createRandom(seed ^ 0x5eed);
  const name = subjectOf(seed, random);
  const subject: Subject = subjects[name];
  const { isLong = false } = subject;
  // Each schedule has only some kinds of faults. Frequent ones would otherwise hide rare ones.
  const enabled = (isLong ? quickFaults : faults).filter(() => random.chance(0.5));
  const faultRate = random.pick(isLong ? [0, 0.05, 0.2] : [0.1, 0.2, 0.4]);
  const clients = isLong ? 1 : 1 + random.below(3);
  const isCrowded = ["keys", "own tokens", "workloads"].includes(name) && random.chance(0.5);
  const operations: Operation[] = [];

  const add = (call: Call, changes: Partial<Operation> = {}): void => {
    const isSending = call.kind === "daily run" || call.kind === "deliver";
    const attempts = isLong ? (isSending ? 25 : 0) : 6;
    const fates = Array.from({ length: attempts }, () => fateOf(random, { enabled, faultRate }));
    operations.push({
      id: operations.length,
      client: random.below(clients),
      environment: random.below(clients + 1),
      pause: random.pick(subject.pauses),
      call,
      fates: isCrowded && random.chance(0.1) ? whileAway(fates, random) : fates,
      sendings: Array.from({ length: isLong && isSending ? 3 : 0 }, () =>
        random.chance(faultRate) ? random.pick(sendingFates) : "arrived",
      ),
      ...changes,
    });
  };

  if (isLong) add({ kind: "issue", limit: null, expiresAfter: random.pick(subject.lifetimes) }, { pause: 0 });
  const [least, most] = subject.size;
  for (let left = least + random.below(most - least + 1); left > 0; left -= 1) {
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
    // The client keeps using its old token until shortly before the token's end.
    if (isLong && (call.kind === "rotate" || call.kind === "rotate own") && random.chance(0.6)) {
      add({ kind: "use", token: call.token, as: "itself" }, { pause: 10 * minute });
      add({ kind: "daily run" }, { pause: 20 * hour });
    }
  }
  const plain = plainSchedule(seed, operations);
  if (isLong) return { ...plain, clockOffsets: [0, 0] };
  return {
    ...plain,
    setup: {
      ...emptySetup,
      keys: keyNames.filter(() => random.chance(0.4)),
      forgotten: name === "keys" && random.chance(0.15) ? ["one"] : [],
      limit:
        name === "limits" || (["own tokens", "workloads"].includes(name) && random.chance(0.15))
          ? 1 + random.below(3)
          : null,
      isTrusted: name === "workloads",
      // In some schedules, the histories of the records are nearly full at the beginning.
      changes: seed % 9 === 4 ? 18 + (seed % 2) : 0,
    },
    // Some schedules cross the end of a minute.
    startInMinute: random.pick([0, 0, 58_000]),
    deletions: isCrowded ? [random.below(20_000)] : [],
    // Clocks differ by up to five seconds.
    clockOffsets: Array.from({ length: clients + 1 }, () => random.pick([0, 2_500, -2_500, 2_490, -2_490, 1_000])),
  };
};

/**
 * Returns a call that competes with the given call: the opposite decision, an end of the token that is being replaced, or the same
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

const tokenSeconds = [300, 3_600] as const;

const callOfKind = (
  kind: Call["kind"],
  { isLong = false, calls, lifetimes, graceSeconds }: Subject,
  random: Random,
  earlier: readonly Operation[],
): Call | undefined => {
  const idsOf = (isMeant: (call: Call) => boolean): number[] =>
    earlier.filter(({ call }) => isMeant(call)).map(({ id }) => id);
  // Usually the token of the setup or one of the most recent tokens, so that several calls are about the same token.
  const issued = idsOf((call) => issuing.has(call.kind)).slice(-2);
  const token: TokenReference =
    issued.length > 0 && (isLong || "exchange" in calls || random.chance(0.5)) ? random.pick(issued) : "setup";
  const from = random.chance(0.65) ? "home" : "away";
  const door = random.chance(0.7) ? "api" : "admin";
  const key = random.chance(0.8) ? "one" : "two";
  const letter = random.pick(["a", "b", "c"] as const);
  const condition = door === "api" && random.chance(0.3) ? { ifUnchanged: true } : {};
  const limit = random.pick([null, 1, 2, 3, 1_000]);
  const expiresAfter = random.pick(lifetimes);

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
      return { kind, token, graceSeconds: random.pick(graceSeconds) };
    case "dismiss":
    case "restore":
      return { kind, token, ip: random.pick(["203.0.113.1", "203.0.113.2"]) };
    case "revoke":
    case "inspect":
      return { kind, token };
    case "deliver":
      return { kind, batch: isLong ? earlier.length : random.below(3) };
    case "invite":
      return { kind, isKnown: random.chance(0.4) };
    case "redeem": {
      const invitations = idsOf((call) => call.kind === "invite");
      return invitations.length === 0 ? undefined : { kind, token: random.pick(invitations), from };
    }
    case "rotate own":
      return { kind, token, from: random.chance(0.85) ? "home" : "away", graceSeconds: random.pick(graceSeconds) };
    case "move":
      return { kind, token, from: random.chance(0.75) ? "away" : "home" };
    case "leave":
      return { kind, token, from };
    case "exchange":
      return { kind, token: "trust", from, jwt: random.below(2) };
    case "create_trust":
      return { kind, token: "trust", limit, expiresAfter, tokenSeconds: random.pick(tokenSeconds) };
    case "update_trust": {
      const ip = random.pick([null, clientAddress, otherAddress]);
      const terms = [{ ip }, { ip }, { limit }, { expiresAfter }, { tokenSeconds: random.pick(tokenSeconds) }];
      return { kind, token: "trust", ...random.pick(terms) };
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
    case "daily run":
      return { kind };
    case "usage":
      return undefined;
  }
};

const quickFaults = ["lost", "broken", "refused", "killed"] as const;
const faults = [...quickFaults, "late", "twice"] as const;

/** How late an attempt may arrive. After five minutes, its signature has expired. */
const latenesses = [300, 900, 1_500, 2_500, 4_000, 6_000, 9_000, 15_000, 60_000, 280_000];

interface FateOptions {
  enabled: readonly (typeof faults)[number][];
  faultRate: number;
}

/** Chooses the fate of an attempt. */
const fateOf = (random: Random, { enabled, faultRate }: FateOptions): Fate => {
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
        : { ...prompt, answer: random.pick(["lost", "slow", "reset"]) };
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
