import type { Context } from "aws-lambda";
import * as actions from "../../lambdas/admin/actions.ts";
import { api } from "../../lambdas/api.ts";
import { deprecationHeaders, operationsOf } from "../../lambdas/declaration/operations.ts";
import type { StoresOptions } from "../../lambdas/functions/create-stores.ts";
import type { Sender } from "../../lambdas/functions/notices/channels.ts";
import { serveAdmin } from "../../lambdas/functions/serve-admin.ts";
import { serveEndpoint } from "../../lambdas/functions/serve-endpoint.ts";
import { serveNotices } from "../../lambdas/functions/serve-notices.ts";
import { serveUsage } from "../../lambdas/functions/serve-usage.ts";
import * as tables from "../../lambdas/resources/tables.ts";

/** A function's handler as Lambda calls it. */
export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** The functions in one environment. In Lambda each has environments of its own; here they share one, with their memory. */
export interface Functions {
  /** The handler of the endpoint with this `operationId`, of the admin function, of usage counting or of the daily run. */
  handler(name: string): Handler;
}

export const operations = operationsOf(api);

interface FunctionsOptions extends Required<StoresOptions> {
  /** How notices are sent; as in Lambda unless given. */
  senders?: readonly Sender[];
}

/** Serves the functions with the real handlers, each made when it is first called. */
export const createFunctions = ({ connection, senders }: FunctionsOptions): Functions => {
  const handlers = new Map<string, Handler>();

  const create = (name: string): Handler => {
    if (name === "admin") return serveAdmin(actions, { connection });
    const notified = { connection, ...(senders && { senders }) };
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
