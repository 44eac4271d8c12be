import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import type { Actions } from "../declaration/action.ts";
import type { ApiEvent } from "../middlewares/request.ts";
import { adminHttp } from "./admin-http.ts";
import { adminInvocation } from "./admin-invocation.ts";
import { actionPerformer } from "./perform-action.ts";

export type AdminHandler = (payload: unknown, context: Context) => Promise<unknown>;

/**
 * The Lambda handler of the admin function: one set of actions behind two doors, by invocation and by HTTP.
 *
 * Whoever may invoke the function may also send what looks like API Gateway's event. That opens nothing: IAM has let
 * them in to all there is.
 */
export const serveAdmin = (actions: Actions): AdminHandler => {
  const perform = actionPerformer(actions);
  const byInvocation = adminInvocation(perform);
  const byHttp = adminHttp(actions, perform);

  return async (payload, context) => (isHttpEvent(payload) ? byHttp(payload, context) : byInvocation(payload, context));
};

/** As much of API Gateway's event as the door by HTTP relies on: what has less did not come from there. */
const httpEvent = z.looseObject({
  routeKey: z.string(),
  rawPath: z.string(),
  headers: z.record(z.string(), z.string()),
  requestContext: z.looseObject({ requestId: z.string(), http: z.looseObject({ method: z.string() }) }),
});

const isHttpEvent = (payload: unknown): payload is ApiEvent => z.safeParse(httpEvent, payload).success;
