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
  /** 0 if there was no response, or only part of one. */
  status: number;
  /** The attempt that got `status`; the first is 1. */
  attempt: number;
  waitMilliseconds: number;
}

export type Send = (request: Request) => Promise<Response>;

const firstBackoffMilliseconds = 500;

interface Repeated {
  isWorthRepeating?: (status: number) => boolean;
  /** Also repeats a request if there is no response, or only part of one. */
  afterLostResponses?: boolean;
}

const isBusy = (status: number): boolean => status === 429 || status === 503;

/** Repeats a request while the service is busy. Every call of the API can be repeated safely. */
export const retrying = (
  send: Send,
  { attempts = 4, maximumWaitMilliseconds = 30_000, onRetry = () => {}, wait = sleep }: RetryOptions = {},
  { isWorthRepeating = isBusy, afterLostResponses = false }: Repeated = {},
): Send => {
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(request.clone()).catch((error: unknown) => {
        if (!afterLostResponses || request.signal.aborted || attempt >= attempts) throw error;
      });
      const status = response?.status ?? 0;
      const waitMilliseconds = waitBefore(attempt, response?.headers.get("retry-after") ?? null);
      if (response !== undefined) {
        if (!isWorthRepeating(status) || attempt >= attempts) return response;
        if (waitMilliseconds > maximumWaitMilliseconds) return response;
        await response.body?.cancel();
      }
      onRetry({ method: request.method, url: request.url, status, attempt, waitMilliseconds });
      await wait(waitMilliseconds, request.signal);
    }
  };
};

export const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
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
export const retryAfterMilliseconds = (value: string | null): number => {
  if (value === null) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Math.max(0, Date.parse(value) - Date.now()) || 0;
};
