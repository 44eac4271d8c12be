import { randomUUID } from "node:crypto";
import type { FunctionDefinition } from "../assembly/functions.ts";
import {
  type ExecutionEnvironment,
  type FunctionSetup,
  type PendingInvocation,
  startEnvironment,
} from "./execution-environment.ts";
import { maximumResponseBytes, type Outcome, oversizeFailure } from "./outcome.ts";

/** All execution environments of a function, and the calls waiting for one. */
export interface FunctionPool {
  definition: FunctionDefinition;
  /** Resolves with the function's result or failure. It never rejects because of the function. */
  invoke: (payload: string) => Promise<Outcome>;
  /** Switches to another setup from the next invocation on. Calls in progress finish in their threads. */
  replace: (setup: FunctionSetup) => void;
  /** From now on, keeps no idle threads. Current and later calls are still answered. */
  retire: () => void;
  close: () => Promise<void>;
}

/** The threads that were started with the same setup. */
interface Generation {
  setup: FunctionSetup;
  starting: Set<ExecutionEnvironment>;
  busy: Set<ExecutionEnvironment>;
  /** The most recently used thread is used next, so that a rarely called function keeps one thread warm, as in Lambda. */
  idle: ExecutionEnvironment[];
}

const newGeneration = (setup: FunctionSetup): Generation => ({
  setup,
  starting: new Set(),
  busy: new Set(),
  idle: [],
});

/**
 * Creates a function's pool. Threads are started on demand, up to the function's maximum, and kept. Further calls wait in order.
 */
export const createFunctionPool = (setup: FunctionSetup): FunctionPool => {
  const queue: PendingInvocation[] = [];
  const environments = new Set<ExecutionEnvironment>();
  let current = newGeneration(setup);
  let isRetired = false;
  let isClosed = false;

  const observerOf = (generation: Generation) => ({
    onIdle(environment: ExecutionEnvironment) {
      generation.starting.delete(environment);
      generation.busy.delete(environment);
      generation.idle.push(environment);
      dispatch();
      if (generation !== current || isRetired) stopIdle(generation);
    },
    onEnd(environment: ExecutionEnvironment, failureOf?: (requestId: string) => string) {
      environments.delete(environment);
      generation.starting.delete(environment);
      generation.busy.delete(environment);
      generation.idle = generation.idle.filter((other) => other !== environment);
      // A failure of replaced code must not fail any call.
      if (failureOf && generation === current) fail(queue.shift(), failureOf);
      dispatch();
    },
  });

  const start = (generation: Generation) => {
    const environment = startEnvironment(generation.setup, observerOf(generation));
    environments.add(environment);
    generation.starting.add(environment);
  };

  const dispatch = () => {
    if (isClosed) return;
    const { starting, busy, idle } = current;
    let [environment, invocation] = [idle.at(-1), queue[0]];
    while (environment && invocation) {
      idle.pop();
      queue.shift();
      busy.add(environment);
      environment.run(invocation);
      [environment, invocation] = [idle.at(-1), queue[0]];
    }
    const { maximumConcurrency } = current.setup.definition;
    while (queue.length > starting.size && starting.size + busy.size + idle.length < maximumConcurrency) start(current);
  };

  const stopIdle = ({ idle }: Generation) => {
    for (const environment of idle.splice(0)) void environment.stop();
  };

  return {
    get definition() {
      return current.setup.definition;
    },
    async invoke(payload) {
      const outcome = await new Promise<Outcome>((settle) => {
        queue.push({ requestId: randomUUID(), payload, settle });
        dispatch();
      });
      const isTooLarge = Buffer.byteLength(outcome.payload) > maximumResponseBytes;
      return isTooLarge ? { ...outcome, failed: true, payload: oversizeFailure() } : outcome;
    },
    replace(next) {
      const previous = current;
      current = newGeneration(next);
      stopIdle(previous);
      dispatch();
    },
    retire() {
      isRetired = true;
      stopIdle(current);
    },
    async close() {
      isClosed = true;
      await Promise.all([...environments].map((environment) => environment.stop()));
    },
  };
};

const fail = (invocation: PendingInvocation | undefined, failureOf: (requestId: string) => string): void => {
  if (invocation === undefined) return;
  const { requestId, settle } = invocation;
  settle({ requestId, payload: failureOf(requestId), failed: true, log: "", durationMilliseconds: 0 });
};
