/** What a function's thread is started with. */
export interface ThreadData {
  readonly name: string;
  readonly arn: string;
  readonly codeDirectory: string;
  readonly handler: string;
  readonly memoryMegabytes: number;
  readonly logGroupName: string;
  readonly logStreamName: string;
  /** A source map of the handler's file, if there is one: the file itself does not name it. */
  readonly sourceMapFile: string | undefined;
}

/** One call, on its way to the thread. */
export interface Invocation {
  readonly requestId: string;
  /** JSON text: what crosses is text, as in Lambda, so that no object outlives the difference. */
  readonly payload: string;
  /** Epoch milliseconds at which the function's time is over. */
  readonly deadline: number;
}

/** What the thread tells. `error` is JSON text of Lambda's `{errorType, errorMessage, trace}`. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "succeeded"; readonly payload: string }
  | { readonly kind: "failed"; readonly error: string; readonly fatal: boolean };
