import type { Subject } from "./generate.ts";
import { fateOf, faults } from "./generate-fate.ts";
import type { Call, Fate, Operation, Schedule } from "./schedule.ts";
import { createRandom, type Random } from "./world/random.ts";

/**
 * Adds to a schedule what would seldom happen by chance: calls about one thing at the same moment, a database that is away
 * for several attempts in a row, and tombstones that are due for deletion. It has a source of randomness of its own.
 */
export const withCoincidences = (schedule: Schedule, subject: Subject): Schedule => {
  const random = createRandom(schedule.seed ^ 0xc01d);
  if (random.chance(0.5) || (subject !== "keys" && subject !== "own tokens")) return schedule;
  const rivals = schedule.operations.flatMap((operation) => {
    const call = random.chance(0.4) ? rivalOf(operation.call, random) : undefined;
    return call ? [{ operation, call }] : [];
  });
  const operations = [
    ...schedule.operations,
    ...rivals.map(
      ({ operation, call }, index): Operation => ({
        id: schedule.operations.length + index,
        client: operation.client,
        beside: operation.id,
        // Another environment with the same clock.
        environment: operation.environment + schedule.environments.length,
        pause: random.pick([0, 0, 1, 5, 20, 100]),
        call,
        fates: Array.from({ length: 6 }, () => fateOf(random, { enabled: faults, faultRate: random.pick([0, 0.3]) })),
      }),
    ),
  ];
  const away = random.chance(0.5) ? random.below(operations.length) : undefined;
  return {
    ...schedule,
    setup: { ...schedule.setup, forgotten: subject === "keys" && random.chance(0.3) ? ["one"] : [] },
    deletions: [random.below(20_000)],
    operations: operations.map((one, index) => (index === away ? { ...one, fates: whileAway(one, random) } : one)),
  };
};

/** A call that somebody else may make about the same thing at the same moment. */
const rivalOf = (call: Call, random: Random): Call | undefined => {
  switch (call.kind) {
    case "confirm":
    case "reject":
      return {
        kind: random.chance(0.8) === (call.kind === "confirm") ? "reject" : "confirm",
        asked: call.asked,
        as: "shown",
      };
    case "redeem":
      return random.pick<Call>([call, { kind: "revoke", token: call.token }]);
    case "rotate own":
    case "move": {
      const { token, from } = call;
      return random.pick<Call>([call, { kind: "leave", token, from }, { kind: "use", token, as: "itself" }]);
    }
    case "create":
    case "replace":
    case "delete":
      return call;
    default:
      return undefined;
  }
};

/** The database takes effect once more, and then neither acts nor answers for a while. */
const whileAway = ({ fates }: Operation, random: Random): Fate[] => {
  const first = 1 + random.below(4);
  const lost: Fate = { deliveries: [2], answer: "reset", answerDelay: 2 };
  const away = Array.from(
    { length: 2 + random.below(6) },
    (): Fate => ({ ...lost, deliveries: [], answer: "refused" }),
  );
  return [...fates.slice(0, first), lost, ...away];
};
