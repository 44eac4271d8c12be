import { type ConfirmationOptions, confirmed } from "./confirmation.ts";
import { parseBody, requireSuccess } from "./errors.ts";
import { type IssuedToken, issuedTokenIn } from "./issued-token.ts";
import { createRequests } from "./requests.ts";
import { type RetryOptions, retrying, type Send } from "./retry.ts";

export interface RotateOptions {
  /** How long the old token keeps working: 0 to 604800 seconds. */
  graceSeconds: number;
  signal?: AbortSignal | undefined;
}

export interface MoveOptions extends ConfirmationOptions {
  signal?: AbortSignal | undefined;
}

export interface RevokeOptions {
  signal?: AbortSignal | undefined;
}

/** The calls that end a token or make a new one. Each is authenticated by the given secret. */
export interface TokenCalls {
  redeem(invitation: string, options: MoveOptions): Promise<IssuedToken>;
  rotate(token: string, options: RotateOptions): Promise<IssuedToken>;
  move(token: string, options: MoveOptions): Promise<IssuedToken>;
  revoke(token: string, options?: RevokeOptions): Promise<void>;
}

interface TokenCallsOptions {
  baseUrl: string;
  fetch: Send;
  retry: RetryOptions;
}

/** The rate limit of a token starts again after this time, so a call that exceeded the limit waits that long. */
const limitMilliseconds = 60_000;

/** These calls are also repeated if their response is lost: the service then returns the same token again. */
export const createTokenCalls = ({ baseUrl, fetch, retry }: TokenCallsOptions): TokenCalls => {
  const { maximumWaitMilliseconds = limitMilliseconds, ...others } = retry;
  const send = retrying(
    complete(fetch),
    { ...others, maximumWaitMilliseconds: Math.max(maximumWaitMilliseconds, limitMilliseconds) },
    { isWorthRepeating: (status) => status === 429 || status >= 500, afterLostAnswers: true },
  );
  const requestsWith = (secret: string) => createRequests(baseUrl, () => secret);

  return {
    async redeem(invitation, { signal, ...confirmation }) {
      const request = requestsWith(invitation)("post", "/api/v1/token", { signal });
      return issuedTokenIn(await confirmed(send, request, confirmation, retry.wait));
    },
    async rotate(token, { graceSeconds, signal }) {
      const body = { grace_seconds: graceSeconds };
      const response = await send(requestsWith(token)("post", "/api/v1/token/rotation", { body, signal }));
      await requireSuccess(response);
      return issuedTokenIn(response);
    },
    async move(token, { signal, ...confirmation }) {
      const request = requestsWith(token)("post", "/api/v1/token/move", { signal });
      return issuedTokenIn(await confirmed(send, request, confirmation, retry.wait));
    },
    async revoke(token, { signal } = {}) {
      const response = await send(requestsWith(token)("delete", "/api/v1/token", { signal }));
      await requireSuccess(response);
      if (response.status !== 204) parseBody(response, await response.text());
    },
  };
};

/** Resolves when the whole body has arrived, so that a truncated response counts as lost. */
const complete =
  (send: Send): Send =>
  async (request) => {
    const response = await send(request);
    return response.body === null ? response : new Response(await response.arrayBuffer(), response);
  };
