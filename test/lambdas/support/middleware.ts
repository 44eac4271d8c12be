import middy from "@middy/core";
import type { ApiEvent, ApiResponse, Middleware } from "../../../lambdas/middlewares/request.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { author } from "../../support/authors.ts";

/** A function with this middleware around a handler. */
export const around = (middleware: Middleware, handler: (event: ApiEvent) => Promise<ApiResponse>) => {
  const chain = middy<ApiEvent, ApiResponse, unknown>().use(middleware).handler(handler);
  return (event: ApiEvent) => chain(event, lambdaContext);
};

/** Runs a single middleware before a handler, and returns the event that the handler gets. */
export const runBefore = async (middleware: Middleware, event: ApiEvent): Promise<ApiEvent> => {
  let seen: ApiEvent | undefined;
  await around(middleware, async (event) => {
    seen = event;
    return { statusCode: 200 };
  })(event);
  if (!seen) throw new Error("the middleware ended the request before its handler");
  return seen;
};

/** The event of a request whose token has been verified, from this address. */
export const eventOf = (token: TokenRecord, ip = token.ip): ApiEvent => ({
  ...apiEvent(),
  caller: { token, ip, author },
});
