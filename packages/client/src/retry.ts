import { isTimeout, type Limit, unless } from "./limit.ts";
import type { Send } from "./transport.ts";

export interface RetryOptions {
  /** The maximum number of times a request is sent, including the first. */
  attempts?: number;
  /** The maximum wait before a retry. If `Retry-After` is longer, the request is not retried. */
  maximumWaitMilliseconds?: number;
  /** Called before each wait. */
  onRetry?: (retry: Retry) => void;
  /** Waits. Must reject when the signal aborts. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export interface Retry {
  method: string;
  url: string;
  /** 0 if the response was lost or incomplete. */
  status: number;
  /** The attempt that got `status`, starting at 1. */
  attempt: number;
  waitMilliseconds: number;
}

const firstBackoffMilliseconds = 500;

/** Within a minute, a rate limit resets and the service asks an issuer again. The rest is for the random part of a wait. */
const tokenWaitMilliseconds = 63_000;

/**
 * Whether a repeated request has the same result if the first one already took effect. A repeated deletion would find nothing, and
 * a repeated conditional change would find its own new version.
 */
const isRepeatable = ({ method, headers }: Request, limit: Limit): boolean => {
  if (method === "POST") return limit.isRepeatable ?? false;
  return method === "GET" || (method !== "DELETE" && !headers.has("If-Match"));
};

/**
 * Retries a request while the service is busy. Repeatable requests are also retried if the response is lost. The call's time limit
 * applies. Calls for tokens are repeatable and retried after each `5xx`, because the service then returns the same token.
 */
export const retrying = (
  send: Send,
  { attempts = 4, maximumWaitMilliseconds = 30_000, onRetry = () => {}, wait = sleep }: RetryOptions,
  isForToken = false,
): Send => {
  const longestWait = isForToken ? Math.max(maximumWaitMilliseconds, tokenWaitMilliseconds) : maximumWaitMilliseconds;
  const isWorthRepeating = (status: number) => status === 429 || (isForToken ? status >= 500 : status === 503);

  return async (request, limit) => {
    for (let attempt = 1; ; attempt += 1) {
      const { response, error } = await send(request.clone(), limit).then(
        (response) => ({ response, error: undefined }),
        (error: unknown) => ({ response: undefined, error }),
      );
      const waitMilliseconds = waitBefore(attempt, response);
      const isTooLate = attempt >= attempts || performance.now() + waitMilliseconds >= limit.endsAt;
      if (response === undefined) {
        const isSafe = isForToken || isRepeatable(request, limit);
        if (isTooLate || limit.signal.aborted || isTimeout(error) || !isSafe) throw error;
      } else if (isTooLate || waitMilliseconds > longestWait || !isWorthRepeating(response.status)) {
        return response;
      }
      onRetry({ method: request.method, url: request.url, status: response?.status ?? 0, attempt, waitMilliseconds });
      await wait(waitMilliseconds, limit.signal);
    }
  };
};

export const sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unless(signal, elapsed).finally(() => clearTimeout(timer));
};

/**
 * Returns the wait that the service asks for, plus an exponentially growing random part that spreads out clients rejected together.
 */
const waitBefore = (attempt: number, response: Response | undefined): number => {
  const jitter = Math.random() * firstBackoffMilliseconds * 2 ** (attempt - 1);
  return Math.round((response ? retryAfterMilliseconds(response) : 0) + jitter);
};

/** Parses `Retry-After` (RFC 9110): whole seconds or an HTTP date. Anything else counts as zero. */
export const retryAfterMilliseconds = (response: Response): number => {
  const value = response.headers.get("retry-after") ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Math.max(0, Date.parse(value) - serviceTime(response)) || 0;
};

/**
 * Returns the time of a response on the service's clock, because this machine's clock may be wrong. Some browsers hide the time.
 */
export const serviceTime = ({ headers }: Response): number => Date.parse(headers.get("date") ?? "") || Date.now();
