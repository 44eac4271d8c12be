import type { Agenda } from "./agenda.ts";
import type { Random } from "./random.ts";
import { currentProcess, type VirtualProcess } from "./virtual-globals.ts";

/** A virtual process on behalf of one operation. */
interface OperationProcess extends VirtualProcess {
  operation: number;
}

/** Returns the id of the operation that the current code serves. */
export const currentOperation = (): number => {
  const virtual = currentProcess();
  if (!virtual || !("operation" in virtual)) throw new Error("A request was sent outside of an operation.");
  return Number(virtual.operation);
};

interface EnvironmentOptions {
  /** How far the environment's clock is ahead. */
  clockOffset: number;
  agenda: Agenda;
  random: Random;
  log: (operation: number, text: string) => void;
}

/** An environment of a Lambda function. It runs while it serves a call, is frozen in between, and may be killed at any time. */
export interface Environment {
  /** Returns a view of the environment for the code that serves an operation. */
  processFor(operation: number): OperationProcess;
  /**
   * Plans an event for the environment. If the environment is frozen, the event waits until the environment resumes. If it is
   * killed, the event never runs.
   */
  plan(delayMilliseconds: number, run: () => void): void;
  freeze(): void;
  resume(): void;
  kill(): void;
  /** Registers a function to call when the environment is killed. */
  onKill(react: () => void): void;
  isKilled(): boolean;
  clockOffset: number;
}

export const createEnvironment = ({ agenda, random, log, clockOffset }: EnvironmentOptions): Environment => {
  let isKilled = false;
  let isFrozen = true;
  let waiting: (() => void)[] = [];
  let reactToKill = (): void => {};

  const plan = (delayMilliseconds: number, run: () => void): void =>
    agenda.plan(delayMilliseconds, () => {
      if (isKilled) return;
      if (isFrozen) waiting.push(run);
      else run();
    });

  return {
    clockOffset,
    processFor: (operation) => ({
      operation,
      random,
      now: () => agenda.now() + clockOffset,
      startTimer(milliseconds, run) {
        let isStopped = false;
        plan(milliseconds, () => {
          if (!isStopped) run();
        });
        return {
          stop: () => {
            isStopped = true;
          },
        };
      },
      log: (text) => log(operation, text),
    }),
    plan,
    freeze() {
      isFrozen = true;
    },
    resume() {
      isFrozen = false;
      for (const run of waiting) plan(0, run);
      waiting = [];
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
