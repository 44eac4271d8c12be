import { ApiError } from "../../../lambdas/errors/api-error.ts";

/** The API error that a promise is rejected with; anything else fails the test. */
export const apiErrorOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome && outcome.error instanceof ApiError) return outcome.error;
  throw new Error("expected an ApiError", { cause: outcome });
};
