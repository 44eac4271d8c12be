import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  DynamoDBServiceException,
} from "@aws-sdk/client-dynamodb";

/** Rejections of calls for which an earlier attempt may have been applied. */
const refusalsAfterLostAttempt = new WeakSet<object>();

/** Checks whether an earlier attempt of a rejected call may have been applied, because its response was lost or invalid. */
export const followsLostAttempt = (refusal: DynamoDBServiceException): boolean => refusalsAfterLostAttempt.has(refusal);

/**
 * Records which attempts of a call were lost. The SDK only counts attempts, and it also retries attempts that DynamoDB rejected.
 *
 * A write that conflicted with a transaction is retried, which the SDK would leave to its caller.
 *
 * A failed condition is final. Without this, the SDK would retry such a call if the time in the response differs from the clock by
 * four minutes or more.
 */
export const noteLostAttempts = ({ middlewareStack }: DynamoDBClient): void => {
  const callsWithLostAttempt = new WeakSet<object>();
  const note: Middleware = (next) => async (args) => {
    try {
      return await next(args);
    } catch (error) {
      if (!isRefusal(error)) callsWithLostAttempt.add(args);
      else {
        if (callsWithLostAttempt.has(args)) refusalsAfterLostAttempt.add(error);
        if (error instanceof ConditionalCheckFailedException) {
          Object.assign(error.$metadata, { clockSkewCorrected: false });
        }
        if (error.name === "TransactionConflictException") Object.assign(error, { $retryable: {} });
      }
      throw error;
    }
  };
  middlewareStack.addRelativeTo(note, {
    relation: "after",
    toMiddleware: "retryMiddleware",
    name: "noteLostAttempts",
    override: true,
  });
};

type Middleware = Parameters<DynamoDBClient["middlewareStack"]["add"]>[0];

/** Checks whether DynamoDB rejected a request, so that it was not applied. */
const isRefusal = (error: unknown): error is DynamoDBServiceException =>
  error instanceof DynamoDBServiceException && error.$fault === "client" && error.name.endsWith("Exception");
