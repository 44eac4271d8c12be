import { setTimeout as sleep } from "node:timers/promises";

export interface RetryOptions {
  /** How often a request is sent at most, the first time included. */
  attempts?: number;
  /** The longest single wait. A `Retry-After` beyond it ends the attempts at once. */
  maximumWaitMilliseconds?: number;
  /** Told of each wait before it begins. */
  onRetry?: (retry: Retry) => void;
  /** Waits, and rejects when the signal aborts. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export interface Retry {
  method: string;
  url: string;
  status: number;
  /** The attempt that was answered with `status`; the first is 1. */
  attempt: number;
  waitMilliseconds: number;
}

type Send = (request: Request) => Promise<Response>;

const firstBackoffMilliseconds = 500;

/** Sends a request again while the service answers that it is busy. Every call of the API can be repeated safely. */
export const retrying = (
  send: Send,
  {
    attempts = 4,
    maximumWaitMilliseconds = 30_000,
    onRetry = () => {},
    wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted()),
  }: RetryOptions = {},
): Send => {
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(request.clone());
      const { status } = response;
      if ((status !== 429 && status !== 503) || attempt >= attempts) return response;

      const waitMilliseconds = waitBefore(attempt, response.headers.get("retry-after"));
      if (waitMilliseconds > maximumWaitMilliseconds) return response;
      await response.body?.cancel();
      onRetry({ method: request.method, url: request.url, status, attempt, waitMilliseconds });
      await wait(waitMilliseconds, request.signal);
    }
  };
};

/** As long as the service asks for, and a random part that doubles: clients that were refused together come back apart. */
const waitBefore = (attempt: number, retryAfter: string | null): number => {
  const jitter = Math.random() * firstBackoffMilliseconds * 2 ** (attempt - 1);
  return Math.round(retryAfterMilliseconds(retryAfter) + jitter);
};

/** RFC 9110: whole seconds, or an HTTP date. What cannot be read asks for nothing. */
const retryAfterMilliseconds = (value: string | null): number => {
  if (value === null) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Math.max(0, Date.parse(value) - Date.now()) || 0;
};
