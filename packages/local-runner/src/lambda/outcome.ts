/** The result of an invocation, as Lambda reports it. */
export interface Outcome {
  requestId: string;
  /** The function's result as JSON text, or its error: `{errorType, errorMessage, trace?}`. */
  payload: string;
  failed: boolean;
  /** What the function logged during the invocation. */
  log: string;
  durationMilliseconds: number;
}

/** Invokes the function behind an ARN with JSON text; undefined if there is none. */
export type InvokeByArn = (functionArn: string, payload: string) => Promise<Outcome> | undefined;

/** The limit of the request of a synchronous invocation. */
export const maximumPayloadBytes = 6 * 1024 * 1024;

/** The limit of its response, which is 100 bytes larger (observed). */
export const maximumResponseBytes = maximumPayloadBytes + 100;

/** The error payload of a failure that the runtime reports rather than the function's code. */
export const runtimeFailure = (errorType: string, errorMessage: string): string =>
  JSON.stringify({ errorType, errorMessage });

export const timeoutFailure = (requestId: string, seconds: number): string =>
  exitOf("Sandbox.Timedout", requestId, `Task timed out after ${seconds.toFixed(2)} seconds`);

export const exitFailure = (requestId: string, exitCode: number): string => {
  // Observed: an exit without an error gets no number.
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
