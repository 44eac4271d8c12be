/** What a function's thread is started with. */
export interface ThreadData {
  name: string;
  arn: string;
  codeDirectory: string;
  handler: string;
  memoryMegabytes: number;
  logGroupName: string;
  logStreamName: string;
  /** The source map of the handler's file, if there is one. The file itself does not name it. */
  sourceMapFile: string | undefined;
  /** By how many milliseconds the function's time is ahead, as a 64-bit integer that changes. */
  clock: SharedArrayBuffer;
}

/** A call, as it is sent to the thread. */
export interface Invocation {
  requestId: string;
  /** JSON text, as in Lambda, so that nothing arrives that JSON cannot carry. */
  payload: string;
  /** When the function times out, in epoch milliseconds. */
  deadline: number;
}

/** What the thread reports. `error` is JSON text of Lambda's `{errorType, errorMessage, trace}`. */
export type ThreadMessage =
  | { kind: "ready" }
  | { kind: "log"; text: string }
  | { kind: "succeeded"; payload: string }
  | { kind: "failed"; error: string; fatal: boolean };
