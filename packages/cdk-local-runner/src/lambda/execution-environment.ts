import { randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { FunctionDefinition } from "../assembly/functions.ts";
import type { DatabaseAccess } from "../support/aws-environment.ts";
import { codeOf, messageOf } from "../support/local-error.ts";
import { exitFailure, type Outcome, outOfMemoryFailure, runtimeFailure, timeoutFailure } from "./outcome.ts";

/** The setup that a function's threads start with. */
export interface FunctionSetup {
  definition: FunctionDefinition;
  /** The thread's environment: it sees none of this process's variables. */
  variables: Record<string, string>;
  /** Finds the source map of the function's code. Called whenever a thread starts. */
  sourceMapOf: (functionName: string) => string | undefined;
  /** The milliseconds that the function's time is ahead, as a 64-bit integer that changes. */
  clock: SharedArrayBuffer;
  onLog: (text: string) => void;
}

/** A call that is waiting for an execution environment or running in one. */
export interface PendingInvocation {
  requestId: string;
  payload: string;
  settle: (outcome: Outcome) => void;
}

/** Callbacks for state changes of an environment. */
interface EnvironmentObserver {
  /** The environment can take an invocation, because it has loaded the function or finished an invocation. */
  onIdle: (environment: ExecutionEnvironment) => void;
  /** The environment has ended. If it failed to load the function, a waiting call fails with the result of `failureOf`. */
  onEnd: (environment: ExecutionEnvironment, failureOf?: (requestId: string) => string) => void;
}

/** A thread that has loaded a function and handles one invocation at a time, as in Lambda. */
export interface ExecutionEnvironment {
  run: (invocation: PendingInvocation) => void;
  stop: () => Promise<unknown>;
}

// By default, V8 would let each thread's young generation grow to about 100 MB.
const maxYoungGenerationSizeMb = 16;

// Lambda's time limit for loading a function.
const initialisationSeconds = 10;

/** Starts a thread for the function. */
export const startEnvironment = (setup: FunctionSetup, observer: EnvironmentObserver): ExecutionEnvironment => {
  const { definition, variables, sourceMapOf, clock, onLog } = setup;
  const { name, memoryMegabytes, timeoutSeconds } = definition;
  let current: { invocation: PendingInvocation; startedAt: number; log: string } | undefined;
  let isLoaded = false;
  let hasEnded = false;
  let failureOf: ((requestId: string) => string) | undefined;

  const settle = (payload: string, failed: boolean) => {
    clearTimeout(timer);
    if (current === undefined) return;
    const { invocation, startedAt, log } = current;
    current = undefined;
    const durationMilliseconds = performance.now() - startedAt;
    invocation.settle({ requestId: invocation.requestId, payload, failed, log, durationMilliseconds });
  };

  const end = (failure: (requestId: string) => string) => {
    if (hasEnded) return;
    hasEnded = true;
    if (current) settle(failure(current.invocation.requestId), true);
    clearTimeout(timer);
    observer.onEnd(environment, isLoaded ? undefined : failure);
  };

  const endAfter = (seconds: number) =>
    setTimeout(() => {
      end((requestId) => timeoutFailure(requestId, seconds));
      void worker.terminate();
    }, seconds * 1000);
  let timer = endAfter(initialisationSeconds);

  const data: ThreadData = { definition, sourceMapFile: sourceMapOf(name), clock };
  const worker = new Worker(new URL("./function-thread.mjs", import.meta.url), {
    name,
    workerData: data,
    env: variables,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, maxYoungGenerationSizeMb },
  });
  worker.on("message", (message: ThreadMessage) => {
    if (hasEnded) return;
    switch (message.kind) {
      case "ready":
        isLoaded = true;
        clearTimeout(timer);
        return observer.onIdle(environment);
      case "log":
        if (current) current.log += message.text;
        return onLog(message.text);
      case "succeeded":
        settle(message.payload, false);
        return observer.onIdle(environment);
      case "failed":
        if (message.fatal) {
          failureOf = () => message.error;
          if (current === undefined) onLog(`ERROR ${message.error}\n`);
          return;
        }
        settle(message.error, true);
        return observer.onIdle(environment);
    }
  });
  worker.on("error", (error) => {
    const isOutOfMemory = codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
    failureOf = isOutOfMemory ? outOfMemoryFailure : () => runtimeFailure("Runtime.ExitError", messageOf(error));
  });
  worker.on("exit", (exitCode) => end(failureOf ?? ((requestId) => exitFailure(requestId, exitCode))));

  const environment: ExecutionEnvironment = {
    run(invocation) {
      current = { invocation, startedAt: performance.now(), log: "" };
      timer = endAfter(timeoutSeconds);
      const { requestId, payload } = invocation;
      const call: Invocation = { requestId, payload, deadline: Date.now() + timeoutSeconds * 1000 };
      worker.postMessage(call);
    },
    stop: () => worker.terminate(),
  };
  return environment;
};

/** The data that a function's thread starts with. */
export interface ThreadData {
  definition: FunctionDefinition;
  /** The source map of the handler's file, if there is one. The file itself doesn't refer to it. */
  sourceMapFile: string | undefined;
  /** The milliseconds that the function's time is ahead, as a 64-bit integer that changes. */
  clock: SharedArrayBuffer;
}

/** A call as it is sent to the thread. */
export interface Invocation {
  requestId: string;
  /** JSON text, as in Lambda, so that nothing arrives that JSON can't represent. */
  payload: string;
  /** When the function times out, in epoch milliseconds. */
  deadline: number;
}

/** A message from the thread. `error` is JSON text of Lambda's `{errorType, errorMessage, trace}`. */
export type ThreadMessage =
  | { kind: "ready" }
  | { kind: "log"; text: string }
  | { kind: "succeeded"; payload: string }
  | { kind: "failed"; error: string; fatal: boolean };

/** The addresses that functions connect to in a local run. */
export interface LocalAddresses {
  messagesUrl?: string;
  issuerUrl?: string;
}

/** Returns the name of a new log stream, in Lambda's format. */
export const newLogStream = (): string => {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return `${day}/[$LATEST]${randomBytes(16).toString("hex")}`;
};

/**
 * Returns Lambda's variables, followed by the template's.
 *
 * @param messagesUrl the address that takes messages and events and has the parameters; without it, a function connects to AWS
 * @param issuerUrl the address of the issuer of JWTs for workloads: see `workload-issuer.ts`
 */
export const runtimeVariables = (
  { name, codeDirectory, handler, memoryMegabytes, logGroup, runtime, environment }: FunctionDefinition,
  { endpoint, region, credentials }: DatabaseAccess,
  { messagesUrl, issuerUrl }: LocalAddresses = {},
  logStream = newLogStream(),
): Record<string, string> => {
  const { accessKeyId = name, secretAccessKey = "local", sessionToken } = credentials ?? {};
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    ...(messagesUrl && {
      AWS_ENDPOINT_URL_EVENTBRIDGE: messagesUrl,
      AWS_ENDPOINT_URL_SNS: messagesUrl,
      AWS_ENDPOINT_URL_SSM: messagesUrl,
    }),
    ...(issuerUrl && { LOCAL_ISSUER: issuerUrl }),
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    LAMBDA_TASK_ROOT: codeDirectory,
    LANG: "en_US.UTF-8",
    TZ: ":UTC",
    _HANDLER: handler,
    ...environment,
  };
};
