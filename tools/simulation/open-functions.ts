import { connect } from "../../lambdas/functions/create-stores.ts";
import type { Sender } from "../../lambdas/functions/notices/channels.ts";
import { createFunctions, type Functions } from "./functions.ts";
import type { Environment, OperationProcess } from "./world/environment.ts";
import type { createNetwork, RequestSeam } from "./world/network.ts";
import { currentProcess, runIn } from "./world/virtual-globals.ts";

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
export const openFunctions = (environment: Environment, { connectEnvironment, senders = [], plant = {} }: OpenOptions): Functions =>
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
