import { ApiFailure, refusalIn } from "./errors.ts";
import { announcedEnd, announcer, type OnTokenExpiring } from "./expiry.ts";
import type { IntegrationClient } from "./integration-client.ts";
import { confirmationMilliseconds, isTimeout, type Limit, limited, unless } from "./limit.ts";
import { withToken } from "./requests.ts";
import { serviceTime } from "./retry.ts";
import {
  type Confirmation,
  endsLater,
  type IssuedToken,
  type Lifetime,
  type TokenCalls,
  withFixedEnd,
} from "./token-calls.ts";
import { type TokenFile, TokenFileError } from "./token-file.ts";
import type { Send } from "./transport.ts";

type Ask = (token: string, signal: AbortSignal) => Promise<IssuedToken>;

/** How a client replaces its token, and whom it tells about that. */
export interface KeepingOptions {
  /** Receives the code of an enrolment, or of a move if `mayMove` is set. Without it, calls that need a code fail. */
  onConfirmation?: (confirmation: Confirmation) => unknown;
  /**
   * Whether to ask to move when a call is rejected because of its address. The call then waits for the confirmation unless its
   * `signal` aborts. Their timeout is 15 minutes longer. Default: false.
   */
  mayMove?: boolean;
  /** How long the old token keeps working after a rotation, in seconds. Default: 86400 (a day). */
  graceSeconds?: number;
  /**
   * The age in days at which to rotate a token that doesn't expire, or whose expiry an admin has brought forward. `Infinity` means
   * never. Default: 90.
   */
  maximumAgeDays?: number;
  /** Called once for each token and expiry date when the token expires within 30 days and no longer-lived successor was created. */
  onTokenExpiring?: OnTokenExpiring;
  /** Receives each new token, for example for logging: the object doesn't show its secret. */
  onReplaced?: (token: IssuedToken) => void;
  /** Receives the error if a rotation or a move fails. The client keeps its token. Default: emits a process warning. */
  onProblem?: (error: unknown) => void;
}

interface KeptTokenOptions extends Required<KeepingOptions> {
  file: TokenFile;
  calls: TokenCalls;
  sendRetrying: Send;
  /** The time limit for a rotation or a revocation. A move may take 15 minutes longer. */
  timeoutMilliseconds: number;
}

interface KeptToken extends Pick<IntegrationClient, "rotate" | "move" | "revoke"> {
  value(): string;
  /** Sends a request with the token. If the token is rejected and can be replaced, sends the request again. */
  send: Send;
}

const [firstPause, longestPause] = [60_000, 60 * 60_000];

const dayMilliseconds = 24 * 60 * 60 * 1000;

export const keepToken = (
  first: IssuedToken,
  { file, calls, sendRetrying, timeoutMilliseconds, ...options }: KeptTokenOptions,
): KeptToken => {
  const longestMove = timeoutMilliseconds + confirmationMilliseconds;
  let current = first;
  let previous: Promise<unknown> = Promise.resolve();
  let pause = firstPause;
  let pausedUntil = 0;
  const announce = announcer(options.onTokenExpiring);

  const oneAtATime = <Result>({ signal }: Limit, work: () => Promise<Result>): Promise<Result> => {
    const result = previous.then(() => {
      signal.throwIfAborted();
      return unless(signal, work());
    });
    // The caller gets the error. The next task only waits until this one has finished or timed out.
    previous = result.catch(() => undefined);
    return result;
  };

  const use = (token: IssuedToken, { signal }: Limit): void => {
    // A task that continues after its timeout must not restore an older token.
    signal.throwIfAborted();
    if (token.token === current.token) return;
    current = token;
    options.onReplaced(token);
  };

  /** Whether a token should be rotated at a time on the service's clock. */
  const isDue = ({ issued_at, expires_at }: Lifetime, time: number): boolean => {
    const issued = Date.parse(issued_at);
    if (expires_at === null) return time >= issued + options.maximumAgeDays * dayMilliseconds;
    return time >= issued + (2 / 3) * (Date.parse(expires_at) - issued);
  };

  const rotate: Ask = (token, signal) => calls.rotate(token, { graceSeconds: options.graceSeconds, signal });
  const move: Ask | undefined = options.mayMove
    ? (token, signal) => calls.move(token, { onConfirmation: options.onConfirmation, signal })
    : undefined;
  /** Handles a lost response to a rotation or move: repeating the call returns the same successor. */
  const repeatLost: Ask = (token, signal) =>
    rotate(token, signal).catch((error: unknown) => {
      if (move === undefined || !(error instanceof ApiFailure)) throw error;
      return move(token, signal);
    });

  const remedies: { [code: string]: Ask | undefined } = { token_expired: repeatLost, ip_not_allowed: move };

  /** Adopts another process's token or asks for a new one, less often after failures. Returns whether it obtained a token. */
  const renew = async (used: IssuedToken, ask: Ask | undefined): Promise<boolean> => {
    const adoptOrAsk = (limit: Limit) => async (): Promise<boolean> => {
      if (current.token === used.token) use((await file.read()) ?? used, limit);
      if (current.token !== used.token) return true;
      if (ask === undefined || performance.now() < pausedUntil) return false;
      use(await replaceToken(file, used, () => ask(used.token, limit.signal), calls.revoke), limit);
      pause = firstPause;
      return true;
    };
    try {
      // Other calls need the result too, so this call's end doesn't cancel it.
      const milliseconds = ask === rotate ? timeoutMilliseconds : longestMove;
      return await limited(milliseconds, {}, (limit) => oneAtATime(limit, adoptOrAsk(limit)));
    } catch (error) {
      pausedUntil = performance.now() + pause;
      pause = Math.min(pause * 2, longestPause);
      options.onProblem(error);
      return false;
    }
  };

  /** Replaces the token currently in the file. */
  const replace = (ask: Ask, milliseconds: number, signal: AbortSignal | undefined): Promise<IssuedToken> =>
    limited(milliseconds, { signal }, (limit) =>
      oneAtATime(limit, async () => {
        use((await file.read()) ?? current, limit);
        use(await replaceToken(file, current, () => ask(current.token, limit.signal), calls.revoke), limit);
        return current;
      }),
    );

  return {
    value: () => current.token,

    async send(request, limit) {
      const used = current;
      const again = request.clone();
      const response = await sendRetrying(withToken(request, used), limit);
      const refusal = await refusalIn(response);
      if (refusal !== undefined) {
        return (await renew(used, remedies[refusal])) ? sendRetrying(withToken(again, current), limit) : response;
      }
      if (isTroubled(response)) return response;
      const lifetime = lifetimeOf(used, response);
      const isOffered = response.headers.has("X-Token-Rotation");
      const counted = used.end_is_fixed && !isOffered ? { ...lifetime, expires_at: null } : lifetime;
      const ask = isDue(counted, serviceTime(response)) ? rotate : undefined;
      // No offer means that the token has a successor, which may be in the file, or an expiry date that only an admin can change.
      if (ask === undefined && (isOffered || announcedEnd(response) === undefined)) return response;
      // The call has succeeded, so a slow rotation must not make it fail.
      const patience = (limit.endsAt - performance.now()) / 2;
      const isReplaced = await limited(patience, limit, () => renew(used, ask)).catch((error: unknown) => {
        if (!isTimeout(error)) throw error;
        return false;
      });
      if (!isReplaced || !endsLater(current, lifetime)) announce(response, current.token);
      return response;
    },

    rotate: ({ signal, ...rest }) =>
      replace((token, signal) => calls.rotate(token, { ...rest, signal }), timeoutMilliseconds, signal),
    move: ({ signal, ...rest }) =>
      replace((token, signal) => calls.move(token, { ...rest, signal }), longestMove, signal),

    /** Revokes the token currently in the file and deletes the file. */
    revoke: (init = {}) =>
      limited(timeoutMilliseconds, init, (limit) =>
        oneAtATime(limit, async () => {
          for (;;) {
            use((await file.read()) ?? current, limit);
            await calls.revoke(current.token, { signal: limit.signal });
            await file.withdraw();
            // From now on nobody can store a successor, but one may have been stored before the token was revoked.
            const stored = await file.read();
            if (stored === undefined || stored.token === current.token) return file.remove();
          }
        }),
      ),
  };
};

/** Returns the lifetime of a token. An admin may have brought its end forward since it was stored. */
const lifetimeOf = ({ issued_at, expires_at }: IssuedToken, response: Response): Lifetime => {
  const announced = announcedEnd(response);
  if (announced === undefined || (expires_at !== null && Date.parse(expires_at) <= announced.getTime())) {
    return { issued_at, expires_at };
  }
  return { issued_at, expires_at: announced.toISOString() };
};

/** Whether the service is busy or failing. Rotations can wait until it has recovered. */
const isTroubled = ({ status }: Response): boolean => status === 429 || status >= 500;

/**
 * Stores the token that `ask` returns in place of the known token, if any. Wait for this to resolve before you use the result:
 * until the new token's first use, the service returns the same token to a repeated call, whether after a crash or from another
 * process. If another process has replaced the known token, that process's token is the result.
 *
 * A process never overwrites a newer token, even if it is paused between two steps. It makes a reservation before it checks
 * that the file still has the known token. A newer token is stored only after the successor was in the file, and the process that
 * stores it first cancels all earlier reservations.
 */
export const replaceToken = async (
  file: TokenFile,
  known: IssuedToken | undefined,
  ask: () => Promise<IssuedToken>,
  revoke: TokenCalls["revoke"],
): Promise<IssuedToken> => {
  const byAnother = async (): Promise<IssuedToken | undefined> => {
    const stored = await file.read();
    if (stored === undefined && known !== undefined) {
      throw new TokenFileError(`${file.path} has been deleted, so a new token cannot be stored.`);
    }
    return stored?.token === known?.token ? undefined : stored;
  };

  let issued: IssuedToken | undefined;
  try {
    for (;;) {
      const replaced = await byAnother();
      if (replaced) return replaced;
      const place = await file.reserve();
      try {
        issued = await ask();
        if (known && !endsLater(issued, known)) issued = withFixedEnd(issued);
        await place.fill(issued);
        const meanwhile = await byAnother();
        if (meanwhile) return meanwhile;
        if (await place.replace()) return issued;
      } finally {
        await place.release();
      }
    }
  } catch (error) {
    const stored = await file.read();
    if (stored && stored.token !== known?.token) return stored;
    // The old token has been revoked, so its successor must not keep working.
    const isRevoked = stored === undefined || (error instanceof ApiFailure && error.code === "token_revoked");
    if (known && issued && isRevoked) await revoke(issued.token);
    throw error;
  }
};
