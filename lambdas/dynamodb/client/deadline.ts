import { AsyncLocalStorage } from "node:async_hooks";
import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import type { Context } from "aws-lambda";
import { ApiError } from "../../shared/errors/api-error.ts";

/** Time limit of an operation on a table, including all its calls and their retries. */
export const operationMilliseconds = 4_000;

/** The end of an invocation's time is reserved for the response and the log line. No DynamoDB calls run during that time. */
const reserveMilliseconds = 1_000;

interface Deadline {
  /** Unix milliseconds of the wall clock, which keeps running while a function is frozen. */
  at: number;
  /** Functions that end the running attempts. */
  attempts: Set<(error: Error) => void>;
}

const deadlines = new AsyncLocalStorage<Deadline>();

/**
 * Gives all table operations in an invocation a common deadline, one second before Lambda ends the function. By then, every
 * operation has succeeded or failed, however many there are and however slowly DynamoDB responds.
 */
export const withinInvocation =
  <Event, C, Result>(handler: (event: Event, context: C) => Promise<Result>) =>
  (event: Event, context: C & Pick<Context, "getRemainingTimeInMillis">): Promise<Result> => {
    const at = Date.now() + context.getRemainingTimeInMillis() - reserveMilliseconds;
    return deadlines.run({ at, attempts: new Set() }, () => handler(event, context));
  };

/** Errors that DynamoDB returns for requests that this service should not have sent. */
const defects = new Set(["AccessDeniedException", "ResourceNotFoundException", "ValidationException"]);

/**
 * Runs an operation on a table until the operation or its invocation runs out of time. Then it ends the running attempts and starts
 * no more.
 *
 * The operation fails with `503 unavailable` if DynamoDB cannot be reached, fails, throttles, or rejects a signature's time or
 * keys. Errors that show a defect of this service, such as a missing permission, are passed through unchanged.
 */
export const withDeadline = async <Output>(
  operation: () => Promise<Output>,
  milliseconds = operationMilliseconds,
): Promise<Output> => {
  const beganAt = Date.now();
  const at = Math.min(beganAt + milliseconds, deadlines.getStore()?.at ?? Number.POSITIVE_INFINITY);
  if (at <= beganAt) throw new ApiError("unavailable", { cause: outOfTime() });
  const attempts: Deadline["attempts"] = new Set();
  const { promise: end, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = outOfTime();
    reject(error);
    for (const endAttempt of attempts) endAttempt(error);
  }, at - beganAt);
  try {
    return await Promise.race([deadlines.run({ at, attempts }, operation), end]);
  } catch (error) {
    if (error instanceof ApiError || isDefect(error)) throw error;
    throw new ApiError("unavailable", { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Calls `end` when the current operation runs out of time. Returns a function that cancels this.
 *
 * @throws {Error} if no time is left. The SDK does not retry after this error.
 */
export const endInTime = (end: (error: Error) => void): (() => void) => {
  const { at, attempts } = deadlines.getStore() ?? {};
  if (at !== undefined && at <= Date.now()) throw outOfTime();
  attempts?.add(end);
  return () => void attempts?.delete(end);
};

const outOfTime = (): Error => new Error("AWS did not respond in time.");

const isDefect = (error: unknown): boolean => error instanceof DynamoDBServiceException && defects.has(error.name);
