import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import type { Actions } from "../declaration/action.ts";
import type { ApiEvent } from "../middlewares/request.ts";
import { adminHttp } from "./admin-http.ts";
import { adminInvocation } from "./admin-invocation.ts";
import type { StoresOptions } from "./create-stores.ts";
import { actionPerformer } from "./perform-action.ts";

export type AdminHandler = (payload: unknown, context: Context) => Promise<unknown>;

/**
 * The Lambda handler of the admin function: the same actions by invocation and over HTTP.
 *
 * A caller who may invoke the function can also send an event that looks like API Gateway's. That gains nothing: IAM already
 * allows such a caller every action.
 */
export const serveAdmin = (actions: Actions, storesOptions?: StoresOptions): AdminHandler => {
  const perform = actionPerformer(actions, storesOptions);
  const byInvocation = adminInvocation(perform);
  const byHttp = adminHttp(actions, perform);

  return async (payload, context) => (isHttpEvent(payload) ? byHttp(payload, context) : byInvocation(payload, context));
};

/** The parts of API Gateway's event that the HTTP interface relies on. An event without them came from elsewhere. */
const httpEvent = z.looseObject({
  routeKey: z.string(),
  rawPath: z.string(),
  headers: z.record(z.string(), z.string()),
  requestContext: z.looseObject({ requestId: z.string(), http: z.looseObject({ method: z.string() }) }),
});

const isHttpEvent = (payload: unknown): payload is ApiEvent => z.safeParse(httpEvent, payload).success;
