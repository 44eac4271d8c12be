import { type DynamoDBClient, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
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

/** A middleware of the SDK. */
type Middleware = Parameters<DynamoDBClient["middlewareStack"]["add"]>[0];

interface LateAttemptsOptions {
  /** The latest start of a call's last attempt, so that it ends before the response to the request is sent. */
  withinMilliseconds?: number;
}

/**
 * Keeps the SDK from repeating a call that its request no longer waits for.
 *
 * A request gives up on a call after a while and gets the response `503`. The SDK does not know that and would continue with
 * its attempts, in Lambda when the function is resumed for another request. The write could then be made long after its client
 * has moved on.
 */
export const preventLateAttempts = (
  client: DynamoDBClient,
  { withinMilliseconds = 3_000 }: LateAttemptsOptions = {},
): void => {
  const beganAt = new WeakMap<object, number>();

  const noteBeginning: Middleware = (next) => async (args) => {
    beganAt.set(args, Date.now());
    return next(args);
  };
  const refuseLate: Middleware = (next) => async (args) => {
    // By the wall clock, which keeps running while a function is frozen.
    const elapsed = Date.now() - (beganAt.get(args) ?? Date.now());
    if (elapsed > withinMilliseconds) throw new Error(`A call to DynamoDB was given up after ${elapsed} ms.`);
    return next(args);
  };

  const toMiddleware = "retryMiddleware";
  client.middlewareStack.addRelativeTo(noteBeginning, { relation: "before", toMiddleware, name: "noteBeginning" });
  client.middlewareStack.addRelativeTo(refuseLate, { relation: "after", toMiddleware, name: "preventLateAttempts" });
};
