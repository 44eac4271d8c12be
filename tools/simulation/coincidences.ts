import { fateOf, faults } from "./generate-fate.ts";
import type { Call, Fate, Operation, Schedule, Subject } from "./schedule.ts";
import { createRandom, type Random } from "./world/random.ts";

/**
 * Adds to a schedule what would seldom happen by chance: calls about one thing at the same moment, a database that is away
 * for several attempts in a row, and tombstones that are due for deletion. It has a source of randomness of its own.
 */
export const withCoincidences = (schedule: Schedule, subject: Subject): Schedule => {
  const random = createRandom(schedule.seed ^ 0xc01d);
  if (random.chance(0.5) || (subject !== "keys" && subject !== "own tokens")) return schedule;
  const { setup, environments } = schedule;
  const rivals = schedule.operations.flatMap((operation) => {
    if (random.chance(0.6)) return [];
    const pause = random.pick([0, 0, 1, 5, 20, 100, 1_000]);
    const environment = random.below(environments.length);
    return rivalsOf(operation, random).map((call) => ({ beside: operation.id, pause, environment, call }));
  });
  const operations = [
    ...schedule.operations,
    ...rivals.map((rival, index): Operation => {
      const id = schedule.operations.length + index;
      return { ...rival, id, client: id, fates: rivalFates(random) };
    }),
  ];
  const cutOff = operations.filter(({ call }) => sending.has(call.kind) && random.chance(0.3)).at(0);
  return {
    ...schedule,
    setup: {
      ...setup,
      forgotten: subject === "keys" && random.chance(0.3) ? ["one"] : [],
      limit: subject === "own tokens" && random.chance(0.3) ? 1 + random.below(3) : setup.limit,
    },
    deletions: [random.below(20_000)],
    operations: operations.map((one) => (one === cutOff ? { ...one, fates: whileAway(one, random) } : one)),
  };
};

/** Calls that others may make about the same thing at the same moment. */
const rivalsOf = ({ id, call }: Operation, random: Random): Call[] => {
  switch (call.kind) {
    case "confirm":
    case "reject":
      return [{ kind: call.kind === "confirm" ? "reject" : "confirm", asked: call.asked, as: "shown" }];
    case "redeem": {
      const elsewhere: Call = { ...call, from: call.from === "home" ? "away" : "home" };
      return [random.pick<Call>([call, elsewhere, { kind: "use", token: id, as: "itself" }])];
    }
    case "rotate own":
    case "move": {
      const { token, from } = call;
      return [
        random.pick<Call>([
          call,
          { kind: "leave", token, from },
          { kind: "update", token, limit: 1_000 },
          { kind: "use", token: id, as: "itself" },
        ]),
      ];
    }
    case "replace": {
      // Two admins do the same by clocks that agree.
      const same: Call = { ...call, door: "admin", ifUnchanged: false };
      return [same, same];
    }
    case "create":
    case "delete":
      return [call];
    default:
      return [];
  }
};

/** Calls that send several requests, so that the database can be away for the last ones. */
const sending = new Set<Call["kind"]>(["rotate own", "move", "use", "replace"]);

const lost: Fate = { deliveries: [], answer: "reset", answerDelay: 2 };

const rivalFates = (random: Random): Fate[] => {
  const faultRate = random.pick([0, 0.3]);
  const fates = Array.from({ length: 6 }, () => fateOf(random, { enabled: faults, faultRate }));
  return random.chance(0.3) ? [lost, ...fates] : fates;
};

/** The database takes effect once more, and then neither acts nor answers for a while. */
const whileAway = ({ fates }: Operation, random: Random): Fate[] => {
  const first = 1 + random.below(2);
  const away = Array.from({ length: 3 + random.below(5) }, () => lost);
  return [...fates.slice(0, first), { ...lost, deliveries: [2] }, ...away];
};
