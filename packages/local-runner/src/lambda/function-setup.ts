import type { FunctionDefinition } from "../assembly/functions.ts";
import type { RuntimeVariables } from "./runtime-variables.ts";

/** What the threads of a function are started with. */
export interface FunctionSetup {
  definition: FunctionDefinition;
  variables: RuntimeVariables;
  /** Finds the source map of the function's code; asked whenever a thread starts. */
  sourceMapOf: (functionName: string) => string | undefined;
  /** By how many milliseconds the function's time is ahead, as a 64-bit integer that changes. */
  clock: SharedArrayBuffer;
  onLog: (text: string) => void;
}
