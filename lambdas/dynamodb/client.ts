import { DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../errors/api-error.ts";

const retryAfterSeconds = 1;

const throttlingErrors = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
]);

/**
 * The one DynamoDB client of a function.
 *
 * Its time-outs and attempts are bounded so that two calls one after the other that get no answer, the most that a request
 * makes, end as a `503` before the function's own time-out of 10 s.
 */
export const createDynamoDBClient = (): DynamoDBClient =>
  new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });

/**
 * Awaits a call to DynamoDB. A database that is out of reach, failing or throttling is `503 unavailable`; what DynamoDB
 * says of the request itself (a condition that does not hold, a missing right) passes through unchanged.
 */
export const reach = async <Output>(call: Promise<Output>): Promise<Output> => {
  try {
    return await call;
  } catch (error) {
    if (isOurFault(error)) throw error;
    throw new ApiError("unavailable", { headers: { "Retry-After": String(retryAfterSeconds) }, cause: error });
  }
};

const isOurFault = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$fault === "client" && !throttlingErrors.has(error.name);
