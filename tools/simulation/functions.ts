import type { Context } from "aws-lambda";
import * as actions from "../../lambdas/admin/actions.ts";
import { api } from "../../lambdas/api.ts";
import { deprecationHeaders, operationsOf } from "../../lambdas/declaration/operations.ts";
import { connect, type StoresOptions } from "../../lambdas/functions/create-stores.ts";
import type { Sender } from "../../lambdas/functions/notices/channels.ts";
import { serveAdmin } from "../../lambdas/functions/serve-admin.ts";
import { serveEndpoint } from "../../lambdas/functions/serve-endpoint.ts";
import { serveNotices } from "../../lambdas/functions/serve-notices.ts";
import { serveUsage } from "../../lambdas/functions/serve-usage.ts";
import * as tables from "../../lambdas/resources/tables.ts";
import type { Environment, OperationProcess } from "./world/environment.ts";
import type { createNetwork, RequestSeam } from "./world/network.ts";
import { currentProcess, runIn } from "./world/virtual-globals.ts";

/** A function's handler as Lambda calls it. */
export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** The functions in one environment. In Lambda each has environments of its own; here they share one, with their memory. */
export interface Functions {
  /** The handler of the endpoint with this `operationId`, of the admin function, of usage counting or of the daily run. */
  handler(name: string): Handler;
}

export const operations = operationsOf(api);

interface FunctionsOptions extends Required<StoresOptions> {
  /** How notices are sent. */
  senders: readonly Sender[];
}

/** Serves the functions with the real handlers, each made when it is first called. */
const createFunctions = ({ connection, senders }: FunctionsOptions): Functions => {
  const handlers = new Map<string, Handler>();

  const create = (name: string): Handler => {
    if (name === "admin") return serveAdmin(actions, { connection });
    const notified = { connection, senders };
    if (name === "usage") return serveUsage(notified);
    if (name === "notices") return serveNotices(notified);
    const operation = operations.find(({ operationId }) => operationId === name);
    if (!operation) throw new Error(`There is no function ${name}.`);
    const { endpoint, version, deprecated } = operation;
    const handler = serveEndpoint(
      endpoint,
      { version, tables, headers: deprecationHeaders(deprecated) },
      { connection },
    );
    return handler as Handler;
  };

  return {
    handler(name) {
      const handler = handlers.get(name) ?? create(name);
      handlers.set(name, handler);
      return handler;
    },
  };
};

/** A bug to plant; see plants. */
export interface Plant {
  seam?: RequestSeam;
  /** Wraps the functions of an environment. */
  functions?: (functions: Functions) => Functions;
}

/** Plants may have a memory, so each run has one of its own. */
export type CreatePlant = () => Plant;

interface OpenOptions {
  connectEnvironment: ReturnType<typeof createNetwork>;
  /** How notices are sent. Default: they are not. */
  senders?: readonly Sender[];
  plant?: Plant;
}

/** The functions of a new environment, which reach the database through the network. */
export const openFunctions = (
  environment: Environment,
  { connectEnvironment, senders = [], plant = {} }: OpenOptions,
): Functions =>
  runIn(environment.processFor(-1), () => {
    const connection = connect({ requestHandler: connectEnvironment(environment, currentOperation) });
    // Nothing checks the signatures, and making them takes a tenth of the time.
    connection.client.middlewareStack.remove("httpSigningMiddleware");
    const functions = createFunctions({ connection, senders });
    return plant.functions?.(functions) ?? functions;
  });

export const currentOperation = (): OperationProcess => {
  const virtual = currentProcess();
  if (!virtual || !("operation" in virtual)) throw new Error("A request was sent outside of an operation.");
  return virtual as OperationProcess;
};
