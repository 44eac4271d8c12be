/**
 * The future events, in the order of their virtual times. Events at the same time run in the order in which they were planned.
 */
export interface Agenda {
  /** The virtual time, in milliseconds. */
  now(): number;
  plan(delayMilliseconds: number, run: () => void): void;
  /** Runs all events, including those that are planned meanwhile. After each event, all promises that can settle do so. */
  runAll(): Promise<void>;
}

interface Planned {
  time: number;
  run: () => void;
}

/** More than any schedule needs: a run with more events is taken to be endless. */
const maxEvents = 20_000;

const { setImmediate: nextTurn } = globalThis;
const allPromisesSettle = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

export const createAgenda = (startMilliseconds: number): Agenda => {
  const planned: Planned[] = [];
  let now = startMilliseconds;

  return {
    now: () => now,
    plan(delayMilliseconds, run) {
      const time = now + Math.max(0, delayMilliseconds);
      let place = planned.length;
      while (place > 0 && (planned[place - 1]?.time ?? 0) > time) place -= 1;
      planned.splice(place, 0, { time, run });
    },
    async runAll() {
      await allPromisesSettle();
      for (let events = 0; events < maxEvents; events += 1) {
        const next = planned.shift();
        if (!next) return;
        now = next.time;
        next.run();
        await allPromisesSettle();
      }
      throw new Error(`The schedule has not ended after ${maxEvents} events.`);
    },
  };
};
