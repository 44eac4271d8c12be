import type { EnvironmentPlan } from "../schedule.ts";
import type { Agenda } from "./agenda.ts";
import type { Random } from "./random.ts";
import type { VirtualProcess, VirtualTimer } from "./virtual-globals.ts";

/** A virtual process on behalf of one operation. */
export interface OperationProcess extends VirtualProcess {
  operation: number;
}

interface EnvironmentOptions extends EnvironmentPlan {
  agenda: Agenda;
  random: Random;
  log: (operation: number, text: string) => void;
}

/** An environment of a Lambda function: it runs while it serves a call, is frozen in between, and may be killed at any time. */
export interface Environment {
  /** A view of the environment for the code that serves an operation. */
  processFor(operation: number): OperationProcess;
  /**
   * Plans an event for the environment. If the environment is frozen, the event waits until it resumes; if it is killed, the
   * event never runs.
   */
  plan(delayMilliseconds: number, run: () => void): void;
  freeze(): void;
  resume(): void;
  kill(): void;
  /** Called when it is killed. */
  onKill(react: () => void): void;
  isKilled(): boolean;
  clockOffset: number;
}

interface Waiting {
  remaining: number;
  run: () => void;
}

export const createEnvironment = (options: EnvironmentOptions): Environment => {
  const { agenda, random, log, clockOffset, timersStandStill } = options;
  let isKilled = false;
  let frozenSince: number | undefined = agenda.now();
  let frozenInTotal = 0;
  let waiting: Waiting[] = [];
  let reactToKill = (): void => {};

  const startTimer = (milliseconds: number, run: () => void): VirtualTimer => {
    let isStopped = false;
    let due = agenda.now() + milliseconds;
    let frozenBefore = frozenInTotal;

    const fire = (): void => {
      if (isStopped || isKilled) return;
      const missed = timersStandStill ? frozenInTotal - frozenBefore : 0;
      due += missed;
      frozenBefore = frozenInTotal;
      if (frozenSince !== undefined) {
        const remaining = timersStandStill ? Math.max(0, due - frozenSince) : 0;
        waiting.push({ remaining, run: resumeTimer });
      } else if (missed > 0) agenda.plan(due - agenda.now(), fire);
      else run();
    };
    /** Called when the time that was left at the freeze has passed since the resumption. */
    const resumeTimer = (): void => {
      due = agenda.now();
      fire();
    };
    agenda.plan(milliseconds, fire);
    return {
      stop: () => {
        isStopped = true;
      },
    };
  };

  return {
    clockOffset,
    processFor: (operation) => ({
      operation,
      random,
      now: () => agenda.now() + clockOffset,
      startTimer,
      log: (text) => log(operation, text),
    }),
    plan(delayMilliseconds, run) {
      agenda.plan(delayMilliseconds, () => {
        if (isKilled) return;
        if (frozenSince === undefined) run();
        else waiting.push({ remaining: 0, run });
      });
    },
    freeze() {
      frozenSince = agenda.now();
    },
    resume() {
      if (frozenSince === undefined) return;
      frozenInTotal += agenda.now() - frozenSince;
      frozenSince = undefined;
      const due = waiting;
      waiting = [];
      for (const { remaining, run } of due) agenda.plan(remaining, run);
    },
    kill() {
      isKilled = true;
      reactToKill();
    },
    onKill(react) {
      reactToKill = react;
    },
    isKilled: () => isKilled,
  };
};
