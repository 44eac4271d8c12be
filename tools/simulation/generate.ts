import { withCoincidences } from "./coincidences.ts";
import { fateOf, faults } from "./generate-fate.ts";
import { noticeSchedule } from "./generate-notices.ts";
import {
  type Call,
  type Door,
  type EnvironmentPlan,
  type KeyName,
  keyNames,
  type Letter,
  type Operation,
  type Place,
  type Schedule,
  type Subject,
  type TokenReference,
} from "./schedule.ts";
import { createRandom, type Random } from "./world/random.ts";

/** What a schedule is about: some subjects are more frequent than others. */
const subjects: readonly Subject[] = ["keys", "keys", "tokens", "tokens", "limits", "usage", "everything"];

/** Every sixth schedule is about clients and their own tokens, whatever else its seed decides. */
const isOwnToken = (seed: number): boolean => seed % 6 === 5;

/** Every twelfth schedule lasts for months, and is about the notices that are due meanwhile. */
const isAboutNotices = (seed: number): boolean => seed % 12 === 3;

/** In every ninth schedule, the histories of its records are nearly full at the beginning. */
const changesBefore = (seed: number): number => (seed % 9 === 4 ? 18 + (seed % 2) : 0);

/** Pauses after which a text can no longer be requested again, or only just. */
const longPauses = [600_000, 1_000_000];
const pauses = [0, 0, 3, 20, 300, 1_200, 3_000, 6_000, 12_000];
/** Clocks differ by up to five seconds. */
const clockOffsets = [0, 2_500, -2_500, 2_490, -2_490, 1_000];

const fatesPerOperation = 6;

/** The schedule of a seed. */
export const generateSchedule = (seed: number): Schedule => {
  const random = createRandom(seed ^ 0x5eed);
  if (isAboutNotices(seed)) return noticeSchedule(seed, random);
  const drawn = random.pick(subjects);
  const subject = isOwnToken(seed) ? "own tokens" : drawn;
  // Each schedule has only some kinds of faults: frequent ones would otherwise hide rare ones.
  const enabled = faults.filter(() => random.chance(0.5));
  const faultRate = random.pick([0.1, 0.2, 0.4]);
  const clients = 1 + random.below(3);
  const environments = Array.from({ length: clients + 1 }, () => environmentPlan(random));
  const size = 3 + random.below(subject === "own tokens" ? 7 : 4);
  const operations: Operation[] = [];
  for (let id = 0; id < size; id += 1) {
    operations.push({
      id,
      client: random.below(clients),
      environment: random.below(environments.length),
      pause: random.pick(subject === "own tokens" && random.chance(0.1) ? longPauses : pauses),
      call: callOf(subject, random, operations),
      fates: Array.from({ length: fatesPerOperation }, () => fateOf(random, { enabled, faultRate })),
    });
  }
  const keys = keyNames.filter(() => random.chance(0.4));
  const limit = subject === "limits" ? 1 + random.below(3) : null;
  // Some schedules come across the end of a minute.
  const startInMinute = random.pick([0, 0, 58_000]);
  const setup = { keys, forgotten: [], limit, changes: changesBefore(seed) };
  return withCoincidences({ seed, setup, startInMinute, deletions: [], environments, operations }, subject);
};

const environmentPlan = (random: Random): EnvironmentPlan => ({
  clockOffset: random.pick(clockOffsets),
  timersStandStill: random.chance(0.7),
});

const callOf = (subject: Subject, random: Random, earlier: readonly Operation[]): Call => {
  const door: Door = random.chance(0.7) ? "api" : "admin";
  const letter: Letter = random.pick(["a", "b", "c"]);
  const key: KeyName = random.chance(0.8) ? "one" : "two";
  const token = tokenReference(random, earlier);
  switch (subject) {
    case "keys":
      return keyCall(random, { key, letter, door, token: "setup" });
    case "tokens":
      return random.chance(0.35) ? use(random, token) : tokenCall(random, token);
    case "limits":
      if (random.chance(0.85))
        return random.chance(0.5) ? use(random, token) : keyCall(random, { key, letter, door: "api", token });
      return random.chance(0.6) ? { kind: "update", token, limit: limitOf(random) } : tokenCall(random, token);
    case "usage":
      return random.chance(0.5) ? { kind: "deliver", batch: random.below(2) } : use(random, "setup");
    case "own tokens":
      return ownTokenCall(random, earlier);
    case "notices":
    case "everything":
      return random.pick([
        keyCall(random, { key, letter, door, token }),
        tokenCall(random, token),
        use(random, token),
        { kind: "deliver", batch: random.below(3) },
      ]);
  }
};

/** Mostly the token of the setup; sometimes one that an earlier operation issues. */
const tokenReference = (random: Random, earlier: readonly Operation[]): TokenReference => {
  const issuing = earlier.filter(({ call }) => issuingCalls.has(call.kind));
  return issuing.length > 0 && random.chance(0.5) ? random.pick(issuing).id : "setup";
};

const issuingCalls = new Set<Call["kind"]>(["issue", "rotate", "redeem", "rotate own", "move"]);
const askingCalls = new Set<Call["kind"]>(["redeem", "move"]);

/** Invitations, rotations and moves. They are about only a few tokens, so that they coincide and are repeated. */
const ownTokenCall = (random: Random, earlier: readonly Operation[]): Call => {
  const invitations = earlier.filter(({ call }) => call.kind === "invite");
  const asking = earlier.filter(({ call }) => askingCalls.has(call.kind));
  const last = earlier.at(-1);
  const hasAsked = last !== undefined && askingCalls.has(last.call.kind);
  const token = tokenReference(random, earlier);
  const from: Place = random.chance(0.65) ? "home" : "away";
  if (asking.length > 0 && random.chance(hasAsked ? 0.5 : 0.2)) {
    const as = random.chance(0.7) ? "shown" : random.pick(["another address", "another code"] as const);
    const asked = hasAsked ? last.id : random.pick(asking).id;
    return { kind: random.chance(0.75) ? "confirm" : "reject", asked, as };
  }
  if (invitations.length > 0 && random.chance(0.45)) {
    const invitation = random.pick(invitations).id;
    return random.chance(0.9) ? { kind: "redeem", token: invitation, from } : { kind: "revoke", token: invitation };
  }
  if (hasAsked && random.chance(0.3)) return last.call;
  const rotate = (): Call => ({
    kind: "rotate own",
    token,
    from: random.chance(0.85) ? "home" : "away",
    graceSeconds: random.pick([0, 3, 3_600]),
  });
  const move = (): Call => ({ kind: "move", token, from: random.chance(0.75) ? "away" : "home" });
  const anotherCall = (): Call =>
    random.pick<Call>([
      { kind: "rotate", token, graceSeconds: random.pick([0, 3_600]) },
      { kind: "revoke", token },
      { kind: "inspect", token },
      { kind: "tokens" },
    ]);
  return random.pick<() => Call>([
    () => ({ kind: "invite", isKnown: random.chance(0.4) }),
    ...[rotate, rotate, move, move],
    () => ({ kind: "leave", token, from }),
    ...[() => use(random, token), () => use(random, token)],
    anotherCall,
  ])();
};

const limitOf = (random: Random): number | null => random.pick([null, 1, 2, 3, 1000]);

interface KeyCallOptions {
  key: KeyName;
  letter: Letter;
  door: Door;
  token: TokenReference;
}

const keyCall = (random: Random, { key, letter, door, token }: KeyCallOptions): Call => {
  const create = (): Call => ({ kind: "create", key, letter, door, token });
  const replace = (): Call => ({ kind: "replace", key, letter, door, token, ...conditional(random, door) });
  const remove = (): Call => ({ kind: "delete", key, door, token, ...conditional(random, door) });
  const get = (): Call => ({ kind: "get", key, door, token });
  const list = (): Call => ({ kind: "list", door, token });
  return random.pick([create, create, replace, replace, remove, remove, get, list])();
};

const conditional = (random: Random, door: Door) => (door === "api" && random.chance(0.3) ? { ifUnchanged: true } : {});

const use = (random: Random, token: TokenReference): Call => {
  const as = random.chance(0.8) ? "itself" : random.pick(["wrong address", "wrong secret"] as const);
  return { kind: "use", token, as };
};

const tokenCall = (random: Random, token: TokenReference): Call => {
  const issue = (): Call => {
    return { kind: "issue", limit: limitOf(random), expiresAfter: random.pick([null, null, 8_000, 3_600_000]) };
  };
  const update = (): Call => {
    const limit = limitOf(random);
    const expiresAfter = random.pick([null, 8_000, 3_600_000]);
    return { kind: "update", token, ...random.pick([{ limit }, { limit }, { expiresAfter }, { limit, expiresAfter }]) };
  };
  const rotate = (): Call => ({ kind: "rotate", token, graceSeconds: random.pick([0, 3, 3_600]) });
  const revoke = (): Call => ({ kind: "revoke", token });
  const onAddress = (kind: "dismiss" | "restore") => (): Call => {
    return { kind, token, ip: random.pick(["203.0.113.1", "203.0.113.2"]) };
  };
  return random.pick([
    ...[issue, update, update, rotate, rotate, revoke, revoke],
    ...[onAddress("dismiss"), onAddress("dismiss"), onAddress("restore")],
    (): Call => ({ kind: "inspect", token }),
    (): Call => ({ kind: "tokens" }),
  ])();
};
