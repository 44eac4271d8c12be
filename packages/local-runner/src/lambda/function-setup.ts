import type { FunctionDefinition } from "../assembly/functions.ts";
import type { RuntimeVariables } from "./runtime-variables.ts";

/** What the threads of a function are started with. */
export interface FunctionSetup {
  definition: FunctionDefinition;
  variables: RuntimeVariables;
  /** Finds the source map of the function's code; asked whenever a thread starts. */
  sourceMapOf: (functionName: string) => string | undefined;
  onLog: (text: string) => void;
}
