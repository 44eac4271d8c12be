/** The result of an invocation, in Lambda's format. */
export interface Outcome {
  requestId: string;
  /** The function's result as JSON text, or its error: `{errorType, errorMessage, trace?}`. */
  payload: string;
  failed: boolean;
  /** The function's log output during the invocation. */
  log: string;
  durationMilliseconds: number;
}

/** Invokes the function with an ARN, passing JSON text; undefined if the function doesn't exist. */
export type InvokeByArn = (functionArn: string, payload: string) => Promise<Outcome> | undefined;

/** The maximum request size of a synchronous invocation. */
export const maximumPayloadBytes = 6 * 1024 * 1024;

/** The maximum response size, which is 100 bytes larger (observed). */
export const maximumResponseBytes = maximumPayloadBytes + 100;

/** Returns the error payload of a failure that the runtime reports rather than the function's code. */
export const runtimeFailure = (errorType: string, errorMessage: string): string =>
  JSON.stringify({ errorType, errorMessage });

export const timeoutFailure = (requestId: string, seconds: number): string =>
  exitOf("Sandbox.Timedout", requestId, `Task timed out after ${seconds.toFixed(2)} seconds`);

export const exitFailure = (requestId: string, exitCode: number): string => {
  // Observed: an exit without an error shows no exit status.
  const reason = exitCode === 0 ? "without providing a reason" : `with error: exit status ${exitCode}`;
  return exitOf("Runtime.ExitError", requestId, `Runtime exited ${reason}`);
};

export const outOfMemoryFailure = (requestId: string): string =>
  exitOf("Runtime.OutOfMemory", requestId, "Runtime exited with error: signal: killed");

const exitOf = (type: string, requestId: string, reason: string): string =>
  runtimeFailure(type, `RequestId: ${requestId} Error: ${reason}`);

export const oversizeFailure = (): string =>
  runtimeFailure(
    "Function.ResponseSizeTooLarge",
    `Response payload size exceeded maximum allowed payload size (${maximumResponseBytes} bytes).`,
  );
