import { type Fate, promptFate } from "./schedule.ts";
import type { Random } from "./world/random.ts";

export const faults = ["late", "twice", "lost", "broken", "refused", "killed"] as const;
type Fault = (typeof faults)[number];

/** How late an attempt may arrive. After five minutes its signature has expired. */
const latenesses = [300, 900, 1_500, 2_500, 4_000, 6_000, 9_000, 15_000, 60_000, 280_000];

interface FateOptions {
  enabled: readonly Fault[];
  faultRate: number;
}

/** The fate of an attempt. */
export const fateOf = (random: Random, { enabled, faultRate }: FateOptions): Fate => {
  const prompt: Fate = { ...promptFate, deliveries: [1 + random.below(30)], answerDelay: 1 + random.below(20) };
  if (enabled.length === 0 || !random.chance(faultRate)) {
    return random.chance(0.15) ? { ...prompt, deliveries: [random.below(900)] } : prompt;
  }
  const late = random.pick(latenesses) + random.below(50);
  switch (random.pick(enabled)) {
    case "late":
      return { ...prompt, deliveries: [late], answer: random.pick(["lost", "reset", "delivered"]) };
    case "twice":
      return { ...prompt, deliveries: [...prompt.deliveries, late] };
    case "lost":
      return random.chance(0.3)
        ? { ...prompt, deliveries: [], answer: random.pick(["lost", "refused"]) }
        : { ...prompt, answer: random.pick(["lost", "reset", "truncated"]) };
    case "broken":
      return {
        ...prompt,
        answer: random.pick(["replaced", "wrong checksum", "internal error"]),
        deliveries: random.chance(0.3) ? [] : prompt.deliveries,
      };
    case "refused":
      return {
        ...prompt,
        deliveries: [],
        answer: random.pick(["throttled", "internal error", "expired token", "refused"]),
      };
    case "killed":
      return { ...prompt, deliveries: [random.chance(0.5) ? late : 2], kill: random.pick(["sent", "answered"]) };
  }
};
