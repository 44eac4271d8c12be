import { otherAddress } from "../situation.ts";
import type { Random } from "../world/random.ts";
import type { Cloud } from "./cloud.ts";
import type { Held, People } from "./people.ts";

/** Something that happens at a time. It returns the ids of notices that are due at once. */
export interface Event {
  at: number;
  act: () => Promise<string[]>;
}

interface LivesOptions {
  people: People;
  cloud: Cloud;
  random: Random;
  tokens: number;
  days: number;
}

interface Life {
  held: Held;
  /** Between two uses; none for a token that nobody uses. */
  useEveryDays: number | undefined;
  nextUseDay: number;
  /** After this day nobody uses it. */
  lastUseDay: number;
  leaks: Set<string>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const graces = [0, hourMs, 12 * hourMs, 30 * hourMs, 3 * dayMs, 7 * dayMs];

/** Tokens with lives of all kinds. */
export const createLives = ({ people, cloud, random, tokens, days }: LivesOptions) => {
  const lives: Life[] = [];
  const births = Array.from({ length: tokens }, () => random.below(Math.max(1, Math.floor(days * 0.7))));

  const lifetime = (): number | null =>
    random.chance(0.15) ? null : Math.round((0.3 + random.next() ** 2 * 200) * dayMs);
  const grace = () => random.pick(graces);
  const anyTime = (midnight: number): number => midnight + random.below(dayMs - 2 * hourMs);
  /** Shortly before the daily run, so that it finds requests that wait for only some minutes. */
  const beforeRun = (midnight: number): number => midnight + 6 * hourMs - random.below(10 * minuteMs);

  const begin = (held: Held, day: number): void => {
    const useEveryDays = random.chance(0.1) ? undefined : 1 + random.below(40);
    const lastUseDay = random.chance(0.4) ? day + random.below(100) : Number.POSITIVE_INFINITY;
    lives.push({ held, useEveryDays, nextUseDay: day + random.below(5), lastUseDay, leaks: new Set() });
  };

  const isAlive = ({ isRevoked, expiresAt, beganAt }: Held): boolean =>
    !isRevoked && beganAt !== undefined && (expiresAt === null || expiresAt > cloud.now);
  const isOpen = (held: Held): boolean => isAlive(held) && held.rotated === undefined;

  const waits = ({ token_id, waiting }: Held): string[] =>
    waiting ? [`confirmation_waiting:${token_id}:${new Date(waiting.requestedAt).toISOString()}`] : [];

  const birth = (day: number, midnight: number): Event[] => {
    if (random.chance(0.6)) {
      const issue = async (): Promise<string[]> => {
        begin(await people.issue(lifetime()), day);
        return [];
      };
      return [{ at: anyTime(midnight), act: issue }];
    }
    const validMs = random.pick([hourMs, dayMs, 3 * dayMs, 7 * dayMs]);
    const isKnown = random.chance(0.5);
    const at = anyTime(midnight);
    let held: Held | undefined;
    return [
      {
        at,
        act: async () => {
          held = await people.invite({ validMs, isKnown, lifetimeMs: lifetime() });
          begin(held, day);
          later(at + random.below(1.3 * validMs), async () => {
            if (!held || held.isRevoked || cloud.now >= (held.invitationEndsAt ?? 0)) return [];
            await people.redeem(held);
            const urgent = waits(held);
            const invited = held;
            later(cloud.now + 10 * minuteMs, () => confirmInvitation(invited));
            return urgent;
          });
          return [];
        },
      },
    ];
  };

  const confirmInvitation = async (held: Held): Promise<string[]> => {
    const { waiting, invitationEndsAt = 0 } = held;
    if (!waiting || held.isRevoked || cloud.now >= Math.min(waiting.endsAt, invitationEndsAt)) return [];
    if (random.chance(0.2)) return [];
    await people.decide(held, "confirm");
    await people.redeem(held);
    return [];
  };

  /** The events that are planned for this day or a later one. */
  let planned: Event[] = [];
  const later = (at: number, act: Event["act"]): void => void planned.push({ at, act });

  const move = (life: Life, at: number): Event => ({
    at,
    act: async () => {
      const { held } = life;
      if (!isOpen(held)) return [];
      const from = held.ip === otherAddress ? "192.0.2.77" : otherAddress;
      await people.move(held, from);
      later(cloud.now + 12 * minuteMs, async () => {
        if (!held.waiting || !isOpen(held) || cloud.now >= held.waiting.endsAt || random.chance(0.3)) return [];
        const isConfirmed = random.chance(0.7);
        await people.decide(held, isConfirmed ? "confirm" : "reject");
        const successor = isConfirmed ? await people.move(held, from) : undefined;
        if (successor) begin(successor, life.nextUseDay);
        return [];
      });
      return waits(held);
    },
  });

  const changes = (life: Life, day: number, midnight: number): Event[] => {
    const { held } = life;
    const at = anyTime(midnight);
    const event = (act: () => Promise<unknown>): Event => ({
      at,
      act: async () => {
        if (isOpen(held)) await act();
        return [];
      },
    });
    const chance = random.next();
    if (chance < 0.002) return [event(async () => begin(await people.rotate(held, grace()), day))];
    if (chance < 0.004) return [event(async () => begin(await people.rotateAsAdmin(held, grace()), day))];
    if (chance < 0.005) return [event(() => people.revoke(held))];
    if (chance < 0.0055) return [event(() => people.leave(held))];
    if (chance < 0.008) return [event(() => people.edit(held, lifetime()))];
    if (chance < 0.01) return [move(life, random.chance(0.5) ? at : beforeRun(midnight))];
    if (chance >= 0.012) return [];
    const address = `192.0.2.${1 + random.below(3)}`;
    return [
      {
        at,
        act: async () => {
          if (!isAlive(held) || held.ip === address || (await people.use(held, address)) !== 403) return [];
          life.leaks.add(address);
          return [`token_leaked:${held.token_id}:${address}`];
        },
      },
    ];
  };

  return {
    all: (): Held[] => lives.map(({ held }) => held),
    /** The events of a day, in any order. */
    eventsOf(day: number, midnight: number): Event[] {
      const events = births.filter((born) => born === day).flatMap(() => birth(day, midnight));
      for (const life of lives) {
        const { held, useEveryDays, nextUseDay, lastUseDay } = life;
        if (!isAlive(held)) continue;
        // A client that has a successor keeps using the old token for a while.
        const isDue = useEveryDays !== undefined && nextUseDay <= day && day <= lastUseDay;
        if (isDue || (held.rotated && random.chance(0.5))) {
          life.nextUseDay = day + (useEveryDays ?? 1);
          const use = async () => {
            if (isAlive(held)) await people.use(held);
            return [];
          };
          events.push({ at: anyTime(midnight), act: use });
        }
        events.push(...changes(life, day, midnight));
      }
      return events;
    },
    /** The events that have been planned meanwhile, up to a time. */
    takePlanned(before: number): Event[] {
      const taken = planned.filter(({ at }) => at < before);
      planned = planned.filter(({ at }) => at >= before);
      return taken;
    },
  };
};
