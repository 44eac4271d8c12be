import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { codeOf, messageOf } from "../support/local-error.ts";
import { pythonPath } from "../support/python.ts";
import type { FunctionSetup } from "./function-setup.ts";
import { exitFailure, type Outcome, outOfMemoryFailure, runtimeFailure, timeoutFailure } from "./outcome.ts";

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
  onLog: (text: string) => void;
}

/** A thread or a process that has loaded a function and handles one invocation at a time, as in Lambda. */
export interface ExecutionEnvironment {
  run: (invocation: PendingInvocation) => void;
  stop: () => Promise<void>;
}

// By default, V8 would let each thread's young generation grow to about 100 MB.
const maxYoungGenerationSizeMb = 16;

// Lambda's time limit for loading a function.
const initialisationSeconds = 10;

type Setup = Omit<FunctionSetup, "onLog">;

/** The thread or process that runs the function's code. */
interface Host {
  post: (invocation: Invocation) => void;
  stop: () => Promise<unknown>;
}

interface HostObserver {
  onMessage: (message: ThreadMessage) => void;
  /** Called before the exit if its reason is known. */
  onError: (failureOf: (requestId: string) => string) => void;
  onExit: (exitCode: number) => void;
}

/** Starts a thread for a Node.js function. */
const startThread = ({ definition, variables, sourceMapOf, clock }: Setup, observer: HostObserver): Host => {
  const { name, arn, codeDirectory, handler, memoryMegabytes, logGroup } = definition;
  const data: ThreadData = {
    name,
    arn,
    codeDirectory,
    handler,
    memoryMegabytes,
    logGroupName: logGroup,
    logStreamName: variables.AWS_LAMBDA_LOG_STREAM_NAME,
    sourceMapFile: sourceMapOf(name),
    clock,
  };
  const worker = new Worker(new URL("./function-thread.mjs", import.meta.url), {
    name,
    workerData: data,
    env: variables,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes, maxYoungGenerationSizeMb },
  });
  worker.on("message", observer.onMessage);
  worker.on("error", (error) => {
    const isOutOfMemory = codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
    observer.onError(isOutOfMemory ? outOfMemoryFailure : () => runtimeFailure("Runtime.ExitError", messageOf(error)));
  });
  worker.on("exit", observer.onExit);
  return { post: (invocation) => worker.postMessage(invocation), stop: () => worker.terminate() };
};

/** Starts a process for a Python function. Its clock doesn't follow the run's clock, and its memory is unlimited. */
const startPython = ({ definition, variables }: Setup, observer: HostObserver): Host => {
  const script = fileURLToPath(new URL("./function-process.py", import.meta.url));
  const child = spawn(pythonPath() ?? "python3", ["-B", script, definition.arn], {
    cwd: definition.codeDirectory,
    env: { ...variables, PYTHONUTF8: "1" },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const report = (text: string) => observer.onMessage({ kind: "log", text });
  // Reports output of the process itself and of its child processes, rather than of the function's code.
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", report);
  createInterface(child.stdio[3] as Readable).on("line", (line) => observer.onMessage(JSON.parse(line)));
  // The process may exit while a call is being sent.
  child.stdin.on("error", () => {});
  child.on("error", (error) => observer.onError(() => runtimeFailure("Runtime.ExitError", messageOf(error))));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.on("close", (exitCode) => observer.onExit(exitCode ?? 1));
  return {
    post: (invocation) => child.stdin.write(`${JSON.stringify(invocation)}\n`),
    stop() {
      child.kill("SIGKILL");
      return ended;
    },
  };
};

/**
 * Starts a thread or a process for the function. It sees the setup's environment variables and none of this process's variables.
 */
export const startEnvironment = (setup: Setup, observer: EnvironmentObserver): ExecutionEnvironment => {
  const { runtime, timeoutSeconds } = setup.definition;
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
      void host.stop();
    }, seconds * 1000);
  let timer = endAfter(initialisationSeconds);

  const onMessage = (message: ThreadMessage) => {
    if (hasEnded) return;
    switch (message.kind) {
      case "ready":
        isLoaded = true;
        clearTimeout(timer);
        return observer.onIdle(environment);
      case "log":
        if (current) current.log += message.text;
        return observer.onLog(message.text);
      case "succeeded":
        settle(message.payload, false);
        return observer.onIdle(environment);
      case "failed":
        if (message.fatal) {
          failureOf = () => message.error;
          if (current === undefined) observer.onLog(`ERROR ${message.error}\n`);
          return;
        }
        settle(message.error, true);
        return observer.onIdle(environment);
    }
  };
  const host = (runtime.startsWith("python") ? startPython : startThread)(setup, {
    onMessage,
    onError: (failure) => {
      failureOf = failure;
    },
    onExit: (exitCode) => end(failureOf ?? ((requestId) => exitFailure(requestId, exitCode))),
  });

  const environment: ExecutionEnvironment = {
    run(invocation) {
      current = { invocation, startedAt: performance.now(), log: "" };
      timer = endAfter(timeoutSeconds);
      const { requestId, payload } = invocation;
      host.post({ requestId, payload, deadline: Date.now() + timeoutSeconds * 1000 });
    },
    async stop() {
      await host.stop();
    },
  };
  return environment;
};

/** The data that a function's thread starts with. */
export interface ThreadData {
  name: string;
  arn: string;
  codeDirectory: string;
  handler: string;
  memoryMegabytes: number;
  logGroupName: string;
  logStreamName: string;
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
