import { fateOf, faults } from "./generate-fate.ts";
import {
  type Call,
  type Operation,
  plainSchedule,
  type Schedule,
  sendingFates,
  steadyEnvironment,
  type TokenReference,
} from "./schedule.ts";
import type { Random } from "./world/random.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Between two calls: within the time for a confirmation, and up to and beyond the times at which notices are due. */
const pauses = [minute, minute, 10 * minute, 5 * hour, 11 * hour, 20 * hour, day, 6 * day, 25 * day, 91 * day];
const lifetimes = [null, 12 * hour, 2 * day, 8 * day, 32 * day, 100 * day];
const graceSeconds = [0, 3_600, 36 * 3_600, 36 * 3_600, 7 * 24 * 3_600];

const faultsOfDays = faults.filter((fault) => fault !== "late" && fault !== "twice");

/** A schedule of months with one client, an admin, and a daily run now and then. */
export const noticeSchedule = (seed: number, random: Random): Schedule => {
  const enabled = faultsOfDays.filter(() => random.chance(0.5));
  const faultRate = random.pick([0, 0.05, 0.2]);
  const operations: Operation[] = [];
  const add = (call: Call, pause: number): void => {
    const isSending = call.kind === "daily run" || call.kind === "deliver";
    operations.push({
      id: operations.length,
      client: 0,
      environment: random.below(2),
      pause,
      call,
      fates: isSending ? Array.from({ length: 25 }, () => fateOf(random, { enabled, faultRate })) : [],
      sendings: Array.from({ length: isSending ? 3 : 0 }, () =>
        random.chance(faultRate) ? random.pick(sendingFates) : "arrived",
      ),
    });
  };
  add({ kind: "issue", limit: null, expiresAfter: random.pick(lifetimes) }, 0);
  const size = 10 + random.below(14);
  while (operations.length < size) {
    const call = callOf(random, operations);
    add(call, random.pick(pauses));
    if ((call.kind === "rotate" || call.kind === "rotate own") && random.chance(0.6)) {
      // The client keeps using its old token until shortly before its end.
      add({ kind: "use", token: call.token, as: "itself" }, 10 * minute);
      add({ kind: "daily run" }, 20 * hour);
    }
    if (random.chance(0.5)) add({ kind: "daily run" }, random.pick(pauses));
  }
  return { ...plainSchedule(seed, operations), environments: [steadyEnvironment, steadyEnvironment] };
};

const callOf = (random: Random, earlier: readonly Operation[]): Call => {
  const idsOf = (...kinds: Call["kind"][]): number[] =>
    earlier.filter(({ call }) => kinds.includes(call.kind)).map(({ id }) => id);
  // Mostly one of the last ones, so that several calls are about one token.
  const token: TokenReference = random.pick(idsOf("issue", "redeem", "rotate", "rotate own", "move").slice(-2));
  const last = earlier.at(-1);
  const asking = idsOf("redeem", "move");
  const invitations = idsOf("invite");
  if (asking.length > 0 && random.chance(0.2)) {
    return { kind: random.chance(0.8) ? "confirm" : "reject", asked: random.pick(asking), as: "shown" };
  }
  if (invitations.length > 0 && random.chance(0.25)) {
    return { kind: "redeem", token: random.pick(invitations), from: "home" };
  }
  // A client repeats its call once its address has been confirmed.
  if (last?.call.kind === "confirm" && random.chance(0.7)) {
    const asked = earlier[last.call.asked]?.call;
    if (asked) return asked;
  }
  const use: Call = { kind: "use", token, as: random.chance(0.85) ? "itself" : "wrong address" };
  return random.pick<Call>([
    ...[use, use, use, use],
    ...[{ kind: "deliver", batch: earlier.length } as const, { kind: "deliver", batch: earlier.length } as const],
    { kind: "invite", isKnown: random.chance(0.5) },
    { kind: "rotate own", token, from: "home", graceSeconds: random.pick(graceSeconds) },
    { kind: "rotate", token, graceSeconds: random.pick(graceSeconds) },
    { kind: "move", token, from: "away" },
    { kind: "update", token, expiresAfter: random.pick(lifetimes) },
    { kind: "issue", limit: null, expiresAfter: random.pick(lifetimes) },
    ...(random.chance(0.2) ? [{ kind: "revoke", token } as const] : []),
  ]);
};
