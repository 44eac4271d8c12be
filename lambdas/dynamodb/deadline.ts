import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../errors/api-error.ts";

const deadlineMilliseconds = 4_000;

const throttlingErrors = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottledException",
  "ThrottlingException",
  "TooManyRequestsException",
]);

/**
 * Awaits a call to DynamoDB, including its retries, for 4 s. A request makes at most two calls in a row, with one second for
 * the counter of a rate limit in between, so it ends before the function's time-out of 10 s.
 *
 * A database that cannot be reached, fails or throttles is `503 unavailable`. What DynamoDB says about the request itself (a
 * condition that does not hold, a missing right) is passed through unchanged.
 */
export const withDeadline = async <Output>(call: Promise<Output>): Promise<Output> => {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`DynamoDB did not answer within ${deadlineMilliseconds} ms.`));
  }, deadlineMilliseconds);
  try {
    return await Promise.race([call, deadline]);
  } catch (error) {
    if (isAboutTheRequest(error)) throw error;
    throw new ApiError("unavailable", { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

const isAboutTheRequest = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$fault === "client" && !throttlingErrors.has(error.name);
