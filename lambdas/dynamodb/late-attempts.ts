import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

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
