import { AsyncLocalStorage } from "node:async_hooks";
import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import type { Context } from "aws-lambda";
import { ApiError } from "../errors/api-error.ts";

/** How long an operation on a table may take, with all its calls and their retries. */
export const operationMilliseconds = 4_000;

/** The part of an invocation's time in which no call to DynamoDB runs, so that the response and the log line are in time. */
const reserveMilliseconds = 1_000;

interface Deadline {
  /** Unix milliseconds, by the wall clock, which continues while a function is frozen. */
  at: number;
  /** Ends the attempts that are running. */
  attempts: Set<(error: Error) => void>;
}

const deadlines = new AsyncLocalStorage<Deadline>();

/**
 * Gives all operations on tables in an invocation one common deadline: a second before Lambda ends the function. By then, each
 * of them has succeeded or failed, however many there are and however slowly DynamoDB responds.
 */
export const withinInvocation =
  <Event, C, Result>(handler: (event: Event, context: C) => Promise<Result>) =>
  (event: Event, context: C & Pick<Context, "getRemainingTimeInMillis">): Promise<Result> => {
    const at = Date.now() + context.getRemainingTimeInMillis() - reserveMilliseconds;
    return deadlines.run({ at, attempts: new Set() }, () => handler(event, context));
  };

/** The errors that DynamoDB returns for requests that this service should not have sent. */
const defects = new Set(["AccessDeniedException", "ResourceNotFoundException", "ValidationException"]);

/**
 * Runs an operation on a table until its time or that of its invocation is over. Its attempts are then ended, and it starts no
 * others.
 *
 * A database that cannot be reached, fails, throttles, or does not accept the time or the keys of a signature is `503
 * unavailable`. An error that shows a defect of this service, such as a missing right, is passed through unchanged.
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
 * Calls `end` when the current operation has no time left. Returns a function that cancels this.
 *
 * @throws {Error} if it has none already. The SDK does not retry after this error.
 */
export const endInTime = (end: (error: Error) => void): (() => void) => {
  const { at, attempts } = deadlines.getStore() ?? {};
  if (at !== undefined && at <= Date.now()) throw outOfTime();
  attempts?.add(end);
  return () => void attempts?.delete(end);
};

const outOfTime = (): Error => new Error("DynamoDB did not respond in time.");

const isDefect = (error: unknown): boolean => error instanceof DynamoDBServiceException && defects.has(error.name);
