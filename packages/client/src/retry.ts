export interface RetryOptions {
  /** The maximum number of times a request is sent, including the first. */
  attempts?: number;
  /** The longest single wait. If `Retry-After` is longer, the request is not retried. */
  maximumWaitMilliseconds?: number;
  /** Called before each wait. */
  onRetry?: (retry: Retry) => void;
  /** Waits, and rejects when the signal aborts. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export interface Retry {
  method: string;
  url: string;
  status: number;
  /** The attempt that got `status`; the first is 1. */
  attempt: number;
  waitMilliseconds: number;
}

export type Send = (request: Request) => Promise<Response>;

const firstBackoffMilliseconds = 500;

/** Repeats a request while the service is busy. Every call of the API can be repeated safely. */
export const retrying = (
  send: Send,
  { attempts = 4, maximumWaitMilliseconds = 30_000, onRetry = () => {}, wait = sleep }: RetryOptions = {},
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

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

/** What the service asks for, plus a random part that doubles, so that clients refused together do not all return at once. */
const waitBefore = (attempt: number, retryAfter: string | null): number => {
  const jitter = Math.random() * firstBackoffMilliseconds * 2 ** (attempt - 1);
  return Math.round(retryAfterMilliseconds(retryAfter) + jitter);
};

/** RFC 9110: whole seconds or an HTTP date. Anything else counts as zero. */
const retryAfterMilliseconds = (value: string | null): number => {
  if (value === null) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Math.max(0, Date.parse(value) - Date.now()) || 0;
};
