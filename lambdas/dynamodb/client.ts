import { DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
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

/** The one DynamoDB client of a function. An attempt that gets no answer, or half of one, ends after a second. */
export const createDynamoDBClient = (): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 500,
      requestTimeout: 1_000,
      throwOnRequestTimeout: true,
      socketTimeout: 1_000,
    },
  });

/**
 * Awaits a call to DynamoDB, retries included, for 4 s: two calls one after the other, the most that a request makes, end
 * before the function's own time-out of 10 s. A database that is out of reach, failing or throttling is `503 unavailable`;
 * what DynamoDB says of the request itself (a condition that does not hold, a missing right) passes through unchanged.
 */
export const reach = async <Output>(call: Promise<Output>): Promise<Output> => {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`DynamoDB did not answer within ${deadlineMilliseconds} ms.`));
  }, deadlineMilliseconds);
  try {
    return await Promise.race([call, deadline]);
  } catch (error) {
    if (isOurFault(error)) throw error;
    throw new ApiError("unavailable", { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

const isOurFault = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$fault === "client" && !throttlingErrors.has(error.name);
