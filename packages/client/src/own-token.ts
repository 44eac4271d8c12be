import { ApiFailure, requireSuccess } from "./errors.ts";
import type { IssuedToken } from "./token-calls.ts";

/* Shared code of clients that get new tokens automatically. */

export const withToken = (request: Request, { token }: Pick<IssuedToken, "token">): Request => {
  request.headers.set("X-Token", token);
  return request;
};

/** Returns the error code of a response that rejects the token. */
export const refusalIn = async (response: Response): Promise<string | undefined> => {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const failure: unknown = await requireSuccess(response.clone()).catch((error: unknown) => error);
  return failure instanceof ApiFailure ? failure.code : undefined;
};
