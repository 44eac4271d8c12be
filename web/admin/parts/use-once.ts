import { useRef, useState } from "react";

/**
 * Presses within this time after completion still belong to the completed work, such as the second half of a double click or a
 * double Enter.
 */
const pauseMs = 500;

interface OnceOptions<Result, Failure> {
  /** Whether it may also run again after a success. */
  isRepeatable?: boolean;
  onDone?: (result: Result) => void;
  onFailure?: (failure: Failure) => void;
}

interface Outcome<Result, Failure> {
  /** Whether it can't be started now. */
  isLocked: boolean;
  isRunning: boolean;
  result: Result | undefined;
  failure: Failure | null;
}

export interface Once<Input, Result, Failure> extends Outcome<Result, Failure> {
  run: (input: Input) => void;
  /** The current values of `isLocked` and `isRunning`. The properties are only as recent as the last render. */
  isLockedNow: () => boolean;
  isRunningNow: () => boolean;
  /** Whether a press may still be meant for the button that started the work, rather than for what has replaced it. */
  hasJustBegun: () => boolean;
  /** Discards the outcome, including that of work in progress. */
  reset: () => void;
}

/**
 * Runs work that must not run twice by mistake. The lock is set before the next render. The lock is released shortly after a
 * failure. After a success, the lock is released only if the work is repeatable.
 */
export const useOnce = <Input, Result, Failure extends Error = Error>(
  work: (input: Input) => Promise<Result>,
  { isRepeatable = false, onDone, onFailure }: OnceOptions<Result, Failure> = {},
): Once<Input, Result, Failure> => {
  const [outcome, setOutcome] = useState<Outcome<Result, Failure>>(nothingYet);
  const lock = useRef<Lock>(undefined);

  const close = (isRunning: boolean): Lock => {
    const own = { closedAt: performance.now(), isRunning };
    lock.current = own;
    setOutcome({ ...nothingYet, isLocked: true, isRunning });
    return own;
  };
  const openLater = (own: Lock): void => {
    own.isRunning = false;
    setTimeout(() => {
      if (lock.current !== own) return;
      lock.current = undefined;
      setOutcome((latest) => ({ ...latest, isLocked: false }));
    }, pauseMs);
  };

  return {
    ...outcome,
    isLockedNow: () => lock.current !== undefined,
    isRunningNow: () => lock.current?.isRunning === true,
    hasJustBegun: () => lock.current !== undefined && performance.now() - lock.current.closedAt < pauseMs,
    run: (input) => {
      if (lock.current) return;
      const own = close(true);
      work(input).then(
        (result) => {
          if (lock.current !== own) return;
          setOutcome({ ...nothingYet, isLocked: true, result });
          if (isRepeatable) openLater(own);
          onDone?.(result);
        },
        (failure: Failure) => {
          if (lock.current !== own) return;
          setOutcome({ ...nothingYet, isLocked: true, failure });
          openLater(own);
          onFailure?.(failure);
        },
      );
    },
    reset: () => openLater(close(false)),
  };
};

/** Each run has its own lock, so that no run can release another run's lock. */
interface Lock {
  closedAt: number;
  isRunning: boolean;
}

const nothingYet = { isLocked: false, isRunning: false, result: undefined, failure: null };
