import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../errors/api-error.ts";

/** How long a call to DynamoDB may take, including its retries. */
export const deadlineMilliseconds = 4_000;

/** The errors that DynamoDB returns for requests that this service should not have sent. */
const defects = new Set(["AccessDeniedException", "ResourceNotFoundException", "ValidationException"]);

/**
 * Awaits a call to DynamoDB, including its retries, for 4 s. A request to an endpoint makes at most two calls in a row,
 * with one second for the counter of a rate limit in between, so it ends before the function's time-out of 10 s. The admin
 * function, which has 29 s, makes up to five when it rotates a token.
 *
 * A database that cannot be reached, fails, throttles, or does not accept the time or the keys of a signature is `503
 * unavailable`. An error that shows a defect of this service, such as a missing right, is passed through unchanged.
 */
export const withDeadline = async <Output>(call: Promise<Output>): Promise<Output> => {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`DynamoDB did not respond within ${deadlineMilliseconds} ms.`));
  }, deadlineMilliseconds);
  try {
    return await Promise.race([call, deadline]);
  } catch (error) {
    if (error instanceof ApiError || isDefect(error)) throw error;
    throw new ApiError("unavailable", { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

const isDefect = (error: unknown): boolean => error instanceof DynamoDBServiceException && defects.has(error.name);
