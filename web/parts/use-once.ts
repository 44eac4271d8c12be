import { useRef, useState } from "react";

/** How long after an end a press still belongs to what has ended: the second half of a double click, or of a double Enter. */
const pauseMs = 500;

interface OnceOptions<Result, Failure> {
  /** Whether it may run again after a success, too. */
  isRepeatable?: boolean;
  onDone?: (result: Result) => void;
  onFailure?: (failure: Failure) => void;
}

interface Outcome<Result, Failure> {
  /** Whether it cannot be started now. */
  isLocked: boolean;
  isRunning: boolean;
  result: Result | undefined;
  failure: Failure | null;
}

export interface Once<Input, Result, Failure> extends Outcome<Result, Failure> {
  run: (input: Input) => void;
  /** `isLocked` and `isRunning` at this moment. The properties are as old as what is shown. */
  isLockedNow: () => boolean;
  isRunningNow: () => boolean;
  /** Whether a press may still be meant for the button that began it, and not for what has taken its place. */
  hasJustBegun: () => boolean;
  /** Forgets the outcome, and that of work that is still under way. */
  reset: () => void;
}

/**
 * Does work that must not be done twice by mistake. The lock is set before anything is rendered. It is opened a moment after a
 * failure, and after a success only if the work is repeatable.
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

/** One for each run, so that none opens that of another. */
interface Lock {
  closedAt: number;
  isRunning: boolean;
}

const nothingYet = { isLocked: false, isRunning: false, result: undefined, failure: null };
