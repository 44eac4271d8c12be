import { ApiFailure, requireSuccess } from "./errors.ts";
import type { IssuedToken } from "./token-calls.ts";

/* What clients that get new tokens by themselves have in common. */

/** Waits for a result unless the signal aborts. The work continues in any case: other calls need the result too. */
export const unless = <Result>(signal: AbortSignal, result: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });

export const withToken = (request: Request, { token }: Pick<IssuedToken, "token">): Request => {
  request.headers.set("X-Token", token);
  return request;
};

/** The code of a response that refuses the token. */
export const refusalIn = async (response: Response): Promise<string | undefined> => {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const failure: unknown = await requireSuccess(response.clone()).catch((error: unknown) => error);
  return failure instanceof ApiFailure ? failure.code : undefined;
};
