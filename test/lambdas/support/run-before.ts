import middy from "@middy/core";
import type { ApiEvent, ApiResponse, Middleware } from "../../../lambdas/middlewares/request.ts";
import { lambdaContext } from "../../../tools/support/events.ts";

/** Runs a single middleware before a handler, and returns the event that the handler gets. */
export const runBefore = async (middleware: Middleware, event: ApiEvent): Promise<ApiEvent> => {
  let seen: ApiEvent | undefined;
  const chain = middy<ApiEvent, ApiResponse, unknown>()
    .use(middleware)
    .handler(async (event) => {
      seen = event;
      return { statusCode: 200 };
    });
  await chain(event, lambdaContext);
  if (!seen) throw new Error("the middleware ended the request before its handler");
  return seen;
};
