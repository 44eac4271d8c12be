import type { Context } from "aws-lambda";
import * as actions from "../../../lambdas/admin/actions.ts";
import { serveAdmin } from "../../../lambdas/admin/serve-admin.ts";
import { api } from "../../../lambdas/api.ts";
import { deprecationHeaders, operationsOf } from "../../../lambdas/declaration/operations.ts";
import { connect } from "../../../lambdas/domain/create-stores.ts";
import * as tables from "../../../lambdas/domain/tables.ts";
import { changesOn } from "../../../lambdas/dynamodb/change-feed.ts";
import type { Connection } from "../../../lambdas/dynamodb/client/sdk-http-handler.ts";
import { responseRenderer } from "../../../lambdas/endpoint/render-response.ts";
import { serveEndpoint } from "../../../lambdas/endpoint/serve-endpoint.ts";
import { readForm } from "../../../lambdas/middlewares/read-form.ts";
import { serveNotices } from "../../../lambdas/notices/serve-notices.ts";
import { exchangeEndpoint } from "../../../lambdas/v1/exchange-token.ts";
import { getFromIssuer } from "./world/issuer.ts";

/* The service under test. To plant a bug, this file and all of its imports are bundled with the bug. */

/** A function's handler as Lambda calls it. */
export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** A version of the service under test. */
export interface Service {
  createFunctions: typeof createFunctions;
}

export const operations = operationsOf(api);

/**
 * Creates the handlers of the functions by name: `admin`, `notices`, and those of the endpoints by `operationId`. Each is created
 * when it is first called. In Lambda, each function has its own environments. Here they share one environment and its memory.
 *
 * @param toDatabase the connection to the database
 */
export const createFunctions = (toDatabase: Connection): ((name: string) => Handler) => {
  const connection = connect({ connection: toDatabase });
  // Nothing checks the signatures, and creating them takes a tenth of the time.
  connection.client.middlewareStack.remove("httpSigningMiddleware");
  const handlers = new Map<string, Handler>();

  const create = (name: string): Handler => {
    if (name === "admin") return serveAdmin(actions, { connection });
    if (name === "notices") return serveNotices({ connection, senders: [] });
    const operation = operations.find(({ operationId }) => operationId === name);
    if (!operation) throw new Error(`There is no function ${name}.`);
    const { version, deprecated } = operation;
    // Values that this endpoint remembers must not outlive its environment.
    const endpoint = name === "exchangeToken" ? exchangeEndpoint(getFromIssuer) : operation.endpoint;
    const options = {
      tables,
      headers: deprecationHeaders(deprecated),
      realm: api.name,
      readBody: readForm,
      additions: { changesOn },
      render: responseRenderer(endpoint, version),
    };
    return serveEndpoint(endpoint, options, { connection }) as Handler;
  };

  return (name) => {
    const handler = handlers.get(name) ?? create(name);
    handlers.set(name, handler);
    return handler;
  };
};
