import { connect } from "../../../lambdas/functions/create-stores.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import { contextOf, requestIdOf } from "../calls.ts";
import { createDatabase, type Database, type DatabaseRequest, withoutUnused } from "../database/database.ts";
import { createFunctions, type Functions } from "../functions.ts";
import type { Plant } from "../open-functions.ts";
import type { LogLine } from "../situation.ts";
import { type HttpRequest, responseOf } from "../world/network.ts";
import type { Random } from "../world/random.ts";
import { currentProcess, runIn, type VirtualProcess } from "../world/virtual-globals.ts";
import { type ChannelFault, createReceivers, type Receivers } from "./receivers.ts";

/** The faults of an invocation. Requests are those to the database and to the channels, counted from 1. */
export interface Faults {
  topic?: ChannelFault;
  bus?: ChannelFault;
  /** The function dies when it has sent this request, which may still be carried out. */
  crashAt?: { request: number; isDone: boolean };
  /** The database cannot be reached from this request on. */
  databaseGoneAt?: number;
}

export type Outcome = { kind: "done"; value: unknown } | { kind: "failed"; error: Error } | { kind: "crashed" };

/** The functions in the cloud, in which time passes only between invocations. */
export interface Cloud {
  /** Unix milliseconds. */
  now: number;
  database: Database;
  receivers: Receivers;
  invoke(name: string, event: unknown, faults?: Faults): Promise<Outcome>;
  nextRequestId(): string;
  /** The lines about requests with a token since the last time. */
  takeLines(): LogLine[];
}

interface Invocation extends VirtualProcess {
  requests: number;
  faults: Faults;
  crash(): void;
}

/** Only timers of at most 900 ms fire, which are pauses before a retry. A time-out is simulated as a fault instead. */
const longestPauseMs = 900;

const { setImmediate: nextTurn } = globalThis;

export const createCloud = (random: Random, start: number, { seam, ...plant }: Plant = {}): Cloud => {
  const database = createDatabase(tables);
  const lines: LogLine[] = [];
  let logged = 0;
  let requests = 0;
  let environment: Functions | undefined;

  /** Resolves if a request is carried out, and never if the function has died. */
  const meet = async <Result>(perform: () => Result): Promise<Result> => {
    const invocation = currentProcess() as Invocation;
    invocation.requests += 1;
    const { crashAt } = invocation.faults;
    if (crashAt !== undefined && invocation.requests >= crashAt.request) {
      if (invocation.requests === crashAt.request && crashAt.isDone) perform();
      invocation.crash();
      return new Promise(() => {});
    }
    return perform();
  };

  const toDatabase = (request: HttpRequest) => {
    const { requests: count, faults } = currentProcess() as Invocation;
    if (faults.databaseGoneAt !== undefined && count >= faults.databaseGoneAt) {
      throw Object.assign(new Error("connect ECONNREFUSED"), { name: "TimeoutError" });
    }
    const parsed: DatabaseRequest = JSON.parse(String(request.body));
    const sent = { action: (request.headers["x-amz-target"] ?? "").replace(/^.*\./, ""), request: parsed };
    const { action, request: performed } = seam?.request?.(sent.action, sent.request) ?? sent;
    const { answer } = database.perform(action, seam?.request ? withoutUnused(action, performed) : performed);
    const { status, body } = seam?.answer?.(action, answer, performed) ?? answer;
    return { response: responseOf(status, JSON.stringify(body)) };
  };

  const open = (): Functions => {
    const requestHandler = { handle: (request: HttpRequest) => meet(() => toDatabase(request)), destroy() {} };
    const connection = connect({ requestHandler });
    connection.client.middlewareStack.remove("httpSigningMiddleware");
    const functions = createFunctions({ connection });
    return plant.functions?.(functions) ?? functions;
  };

  const receivers = createReceivers({ database, meet, faults: () => (currentProcess() as Invocation).faults });

  const cloud: Cloud = {
    now: start,
    database,
    receivers,
    nextRequestId() {
      requests += 1;
      return requestIdOf(requests);
    },
    async invoke(name, event, faults = {}) {
      const { promise: crashed, resolve } = Promise.withResolvers<Outcome>();
      const invocation: Invocation = {
        requests: 0,
        faults,
        random,
        now: () => cloud.now,
        startTimer: (milliseconds, run) => {
          if (milliseconds <= longestPauseMs) nextTurn(run);
          return { stop() {} };
        },
        log(text) {
          if (!text.includes('"message":"request"') || !text.includes('"token_id"')) return;
          logged += 1;
          lines.push({ id: String(logged), timestamp: cloud.now, message: text });
        },
        fetch: receivers.fetch,
        crash: () => resolve({ kind: "crashed" }),
      };
      const call = async (): Promise<Outcome> => {
        try {
          environment ??= open();
          const value = await environment.handler(name)(
            event,
            contextOf(cloud.nextRequestId(), () => 0),
          );
          return { kind: "done", value };
        } catch (error) {
          return { kind: "failed", error: error as Error };
        }
      };
      const outcome = await Promise.race([crashed, runIn(invocation, call)]);
      if (outcome.kind === "crashed") environment = undefined;
      return outcome;
    },
    takeLines: () => lines.splice(0),
  };
  return cloud;
};
