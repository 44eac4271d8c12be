/** The time limit of a call. It has passed when the signal aborts. */
export interface Limit {
  signal: AbortSignal;
  /** When the time is up, on the clock of `performance.now()`. */
  endsAt: number;
  /** Whether a repeated POST has the same effect as one. */
  isRepeatable?: boolean;
}

/** The default timeout of a call. It leaves room for retries, each of which may wait up to 30 seconds. */
export const defaultTimeoutMilliseconds = 120_000;

/** How long an admin has to confirm a request. */
export const confirmationMilliseconds = 15 * 60_000;

/** Timers with a longer delay would fire immediately. */
const longestDelay = 2 ** 31 - 1;

/**
 * Runs a task within a time limit, and within the limit of the call that it belongs to. The result rejects when the limit is
 * reached, even if the task ignores its signal.
 *
 * The timer and the caller's signal hold the controller. `AbortSignal.any`, `new Request` and `request.clone()` would hold it only
 * weakly, so that a garbage collection could lose an abort.
 *
 * @throws {DOMException} with the name `TimeoutError`, or the reason of the caller's signal
 */
export const limited = async <Result>(
  milliseconds: number,
  outer: { signal?: AbortSignal | undefined; endsAt?: number },
  work: (limit: Limit) => Promise<Result>,
): Promise<Result> => {
  outer.signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(outer.signal?.reason);
  const expire = () => {
    const message = `The call was not finished within ${Math.round(milliseconds) / 1000} seconds.`;
    controller.abort(new DOMException(message, "TimeoutError"));
  };
  const timer = setTimeout(expire, Math.min(milliseconds, longestDelay));
  const leave = outer.signal && follow(outer.signal, stop);
  try {
    const { signal } = controller;
    const endsAt = Math.min(performance.now() + milliseconds, outer.endsAt ?? Number.POSITIVE_INFINITY);
    return await unless(signal, work({ signal, endsAt }));
  } finally {
    clearTimeout(timer);
    leave?.();
  }
};

const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `stop` when a signal aborts, until the returned function is called. Any number of calls may share a signal. Each signal has
 * only one listener, because Node.js warns about more than ten.
 */
const follow = (signal: AbortSignal, stop: () => void): (() => void) => {
  const known = followers.get(signal);
  const stops = known ?? new Set();
  if (known === undefined) {
    followers.set(signal, stops);
    const stopAll = (): void => {
      for (const one of stops) one();
    };
    signal.addEventListener("abort", stopAll, { once: true });
  }
  stops.add(stop);
  return () => void stops.delete(stop);
};

/** Waits for a result unless the signal aborts. */
export const unless = <Result>(signal: AbortSignal, result: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });

export const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === "TimeoutError";
