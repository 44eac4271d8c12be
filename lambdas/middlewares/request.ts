import type middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** API Gateway's event (payload format 2.0). Its `body` is always the text that arrived. */
export type ApiEvent = APIGatewayProxyEventV2;

export type ApiResponse = APIGatewayProxyStructuredResultV2;

/**
 * A middleware for events with the fields in `Known`: those that it adds, and those that it needs from earlier middlewares. middy
 * accumulates these types, so that a handler sees exactly the fields that its chain adds.
 */
export type Middleware<Known = unknown> = middy.MiddlewareObj<ApiEvent & Known, ApiResponse, unknown>;

/** The request that a hook of a `Middleware<Known>` gets. */
export type Request<Known = unknown> = middy.Request<ApiEvent & Known, ApiResponse, unknown>;

/**
 * Rejects options that a middleware does not know, such as misspelt ones.
 *
 * @example const announce = ({ seconds, ...unknown }: Options) => { refuseUnknown("announce", unknown); … };
 */
export const refuseUnknown = (middleware: string, unknown: object): void => {
  const names = Object.keys(unknown);
  if (names.length > 0) throw new TypeError(`${middleware} has no option ${names.join(", ")}.`);
};
