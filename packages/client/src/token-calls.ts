import { ApiFailure, parseBody, requestIdOf, requireSuccess, unknownResponse } from "./errors.ts";
import { confirmationMilliseconds, type Limit, limited } from "./limit.ts";
import { createRequests } from "./requests.ts";
import { type RetryOptions, retryAfterMilliseconds, retrying, serviceTime, sleep } from "./retry.ts";
import type { Send } from "./transport.ts";

export interface RotateOptions {
  /** How long the old token keeps working, from 0 to 604800 seconds. */
  graceSeconds: number;
  signal?: AbortSignal | undefined;
}

export interface MoveOptions {
  /** Called for each new code. */
  onConfirmation: OnConfirmation;
  signal?: AbortSignal | undefined;
}

export interface RevokeOptions {
  signal?: AbortSignal | undefined;
}

export type TokenCalls = ReturnType<typeof createTokenCalls>;

interface TokenCallsOptions {
  baseUrl: string;
  transport: Send;
  retry: RetryOptions;
  timeoutMilliseconds: number;
}

/** Creates the calls that revoke a token or create a new one. Each is authenticated by the given secret. */
export const createTokenCalls = ({ baseUrl, transport, retry, timeoutMilliseconds }: TokenCallsOptions) => {
  const send = retrying(transport, retry, true);
  const requestsWith = (secret: string) => createRequests(baseUrl, () => secret);

  /** Requests a token that an admin may have to confirm. */
  const request =
    (path: string) =>
    (secret: string, { onConfirmation, signal }: MoveOptions): Promise<IssuedToken> =>
      limited(timeoutMilliseconds + confirmationMilliseconds, { signal }, async (limit) => {
        const request = requestsWith(secret)("POST", path, {});
        return issuedTokenIn(await confirmed(send, request, limit, onConfirmation, retry.wait));
      });

  return {
    redeem: request("/api/v1/token"),
    move: request("/api/v1/token/move"),
    rotate: (token: string, { graceSeconds, signal }: RotateOptions): Promise<IssuedToken> =>
      limited(timeoutMilliseconds, { signal }, async (limit) => {
        const form = { grace_seconds: graceSeconds };
        return issuedTokenIn(await send(requestsWith(token)("POST", "/api/v1/token/rotation", { form }), limit));
      }),
    revoke: (token: string, { signal }: RevokeOptions = {}): Promise<void> =>
      limited(timeoutMilliseconds, { signal }, async (limit) => {
        const response = await send(requestsWith(token)("DELETE", "/api/v1/token", {}), limit);
        await requireSuccess(response);
        if (response.status !== 204) parseBody(response, await response.text());
      }),
  };
};

/** What an admin has to confirm. Show the address and the code to someone who can pass them on to an admin. */
export interface Confirmation {
  /** The address that the service saw. */
  ip: string;
  /** The admin sees the same code. */
  code: string;
  /** When the request ends. After that, the same call makes a new one with a new code. */
  expires_at: string;
}

type OnConfirmation = (confirmation: Confirmation) => unknown;

const pollMilliseconds = 5_000;

/**
 * Repeats a call until an admin has confirmed it, and returns the response.
 *
 * @throws {ApiFailure} if the call is rejected, or with the code `not_confirmed` if the request has expired
 */
const confirmed = async (
  send: Send,
  request: Request,
  limit: Limit,
  onConfirmation: OnConfirmation,
  wait: NonNullable<RetryOptions["wait"]> = sleep,
): Promise<Response> => {
  let told: string | undefined;
  for (;;) {
    const response = await send(request, limit);
    await requireSuccess(response);
    if (response.status !== 202) return response;

    const confirmation = confirmationIn(response, parseBody(response, await response.text()));
    const { ip, code, expires_at } = confirmation;
    if (code !== told) await onConfirmation(confirmation);
    told = code;

    const waitMilliseconds = Math.max(pollMilliseconds, retryAfterMilliseconds(response));
    if (waitMilliseconds >= Date.parse(expires_at) - serviceTime(response)) {
      const message = `No admin confirmed the code ${code} for ${ip} in time. Repeat the call for a new code.`;
      throw new ApiFailure({ code: "not_confirmed", status: 202, message, requestId: requestIdOf(response) });
    }
    await wait(waitMilliseconds, limit.signal);
  }
};

const confirmationIn = (response: Response, body: unknown): Confirmation => {
  const { ip, code, expires_at }: Partial<Record<keyof Confirmation, unknown>> = { ...(body as object | null) };
  if (typeof ip === "string" && typeof code === "string" && typeof expires_at === "string" && Date.parse(expires_at)) {
    return { ip, code, expires_at };
  }
  throw unknownResponse(response, "it does not say what to confirm");
};

/** A new token. */
export interface IssuedToken {
  token_id: string;
  /** The address that the token is bound to. */
  ip: string;
  issued_at: string;
  /** `null` if the token does not expire. */
  expires_at: string | null;
  /** The value to send in `X-Token`. It is not enumerable, so that logging the object doesn't reveal it. */
  readonly token: string;
  /** Set in a file if the token doesn't expire later than its predecessor, so that another rotation wouldn't help. */
  readonly end_is_fixed?: boolean;
}

export type Lifetime = Pick<IssuedToken, "issued_at" | "expires_at">;

/** @throws {ApiFailure} if the response is not successful or contains no token; the error doesn't quote the response */
export const issuedTokenIn = async (response: Response): Promise<IssuedToken> => {
  await requireSuccess(response);
  const issued = issuedTokenFrom(parseBody(response, await response.text()));
  if (issued === undefined) throw unknownResponse(response, "it is not a token");
  return issued;
};

/** Returns the token in parsed JSON, or `undefined` if there is none. */
export const issuedTokenFrom = (json: unknown): IssuedToken | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  const { token_id, ip, issued_at, expires_at, token, end_is_fixed } = json as Record<string, unknown>;
  const isComplete = isText(token_id) && isText(ip) && isTime(issued_at) && (expires_at === null || isTime(expires_at));
  if (!isComplete || !isText(token)) return undefined;
  const issued = withHiddenToken({ token_id, ip, issued_at, expires_at }, token);
  return end_is_fixed === true ? withFixedEnd(issued) : issued;
};

export const withFixedEnd = (issued: IssuedToken): IssuedToken =>
  withHiddenToken({ ...issued, end_is_fixed: true }, issued.token);

/** Whether a successor expires later. It doesn't if an admin has brought the expiry of the old token forward. */
export const endsLater = ({ expires_at }: Lifetime, than: Lifetime): boolean =>
  expires_at === null || (than.expires_at !== null && Date.parse(expires_at) > Date.parse(than.expires_at));

const withHiddenToken = (described: Omit<IssuedToken, "token">, token: string): IssuedToken =>
  Object.defineProperty({ ...described, token }, "token", { enumerable: false, writable: false });

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));
