import { randomUUID } from "node:crypto";
import type { FunctionDefinition } from "../assembly/functions.ts";
import { type ExecutionEnvironment, type PendingInvocation, startEnvironment } from "./execution-environment.ts";
import { maximumPayloadBytes, type Outcome, oversizeFailure } from "./outcome.ts";

/** All execution environments of one function, and the calls that wait for one. */
export interface FunctionPool {
  readonly definition: FunctionDefinition;
  /** Resolves with the function's result or its failure; never rejects on account of the function. */
  readonly invoke: (payload: string) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

/**
 * Makes the pool of a function. Threads are started on demand, up to the function's maximum, and kept; calls beyond
 * that wait in order.
 */
export function createFunctionPool(
  definition: FunctionDefinition,
  { variables, onLog }: { variables: Readonly<Record<string, string>>; onLog: (text: string) => void },
): FunctionPool {
  const queue: PendingInvocation[] = [];
  const environments = new Set<ExecutionEnvironment>();
  // The one used last is used next, so that a quiet function keeps one warm thread busy, as Lambda does.
  const idle: ExecutionEnvironment[] = [];
  let starting = 0;
  let isClosed = false;

  const observer = {
    onLog,
    onIdle(environment: ExecutionEnvironment) {
      if (!loaded.has(environment)) {
        loaded.add(environment);
        starting -= 1;
      }
      idle.push(environment);
      dispatch();
    },
    onEnd(environment: ExecutionEnvironment, failureOf?: (requestId: string) => string) {
      environments.delete(environment);
      const position = idle.indexOf(environment);
      if (position >= 0) idle.splice(position, 1);
      if (failureOf) {
        starting -= 1;
        fail(queue.shift(), failureOf);
      }
      dispatch();
    },
  };
  const loaded = new WeakSet<ExecutionEnvironment>();

  const dispatch = () => {
    if (isClosed) return;
    for (let environment = idle.at(-1); environment && queue.length > 0; environment = idle.at(-1)) {
      idle.pop();
      const next = queue.shift();
      if (next) environment.run(next);
    }
    while (queue.length > starting && environments.size < definition.maximumConcurrency) {
      starting += 1;
      environments.add(startEnvironment(definition, { variables, observer }));
    }
  };

  return {
    definition,
    async invoke(payload) {
      const outcome = await new Promise<Outcome>((settle) => {
        queue.push({ requestId: randomUUID(), payload, settle });
        dispatch();
      });
      const bytes = Buffer.byteLength(outcome.payload);
      return bytes > maximumPayloadBytes ? { ...outcome, failed: true, payload: oversizeFailure(bytes) } : outcome;
    },
    async close() {
      isClosed = true;
      await Promise.all([...environments].map((environment) => environment.stop()));
    },
  };
}

function fail(invocation: PendingInvocation | undefined, failureOf: (requestId: string) => string): void {
  if (invocation === undefined) return;
  const { requestId, settle } = invocation;
  settle({ requestId, payload: failureOf(requestId), failed: true, log: "", durationMilliseconds: 0 });
}
