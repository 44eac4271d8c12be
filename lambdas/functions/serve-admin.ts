import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { invokedBy } from "../admin/fields.ts";
import { type Action, type Actions, adminRoute } from "../declaration/action.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { jsonBody } from "../middlewares/read-body.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { assertSentPath } from "../middlewares/validate-input.ts";
import { verifyAdmin } from "../middlewares/verify-admin.ts";
import { validate } from "../validation/validate.ts";
import { apiChain } from "./api-chain.ts";
import type { ExistingStoresOptions } from "./create-existing-stores.ts";
import { actionPerformer, type PerformAction } from "./perform-action.ts";

export type AdminHandler = (payload: unknown, context: Context) => Promise<unknown>;

/**
 * The Lambda handler of the admin function: the same actions by invocation and over HTTP.
 *
 * A caller who may invoke the function can also send an event that looks like API Gateway's. That gains nothing: IAM already
 * allows such a caller every action.
 */
export const serveAdmin = (actions: Actions, storesOptions?: ExistingStoresOptions): AdminHandler => {
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

/** The payload of an invocation: the name of an action, optionally the name of a person, and the action's fields. */
const call = z.looseObject({ action: z.optional(z.unknown()), invoked_by: z.optional(invokedBy) });

/**
 * The actions by invocation: `{"action": "issue", "ip": "198.51.100.7"}`.
 *
 * IAM decides who may invoke the function. The name in `invoked_by` is recorded beside the request id but not verified:
 * CloudTrail ties the id to an IAM principal. A refused request is a function error whose `errorType` is an error code of the
 * catalogue and whose message says what is wrong.
 */
export const adminInvocation =
  (perform: PerformAction) =>
  async (payload: unknown, { awsRequestId }: Pick<Context, "awsRequestId">): Promise<unknown> => {
    const { action, invoked_by, ...fields } = requireCall(payload);
    return perform({
      name: typeof action === "string" ? action : "",
      fields,
      actor: `invoke:${awsRequestId}${invoked_by === undefined ? "" : `:${invoked_by}`}`,
      requestId: awsRequestId,
    });
  };

const requireCall = (payload: unknown): z.output<typeof call> => {
  const result = validate(call, payload);
  if (!result.valid) throw new ValidationError(result.fields);
  return result.value;
};

/** Keeps browsers from storing what admins see. */
const noStore = { "Cache-Control": "no-store" };

/** The actions over HTTP, for the web interface: JSON at routes under `/admin`, behind API Gateway's JWT authorizer. */
export const adminHttp = (actions: Actions, perform: PerformAction) => {
  const byRoute = new Map(
    Object.entries(actions).map(([name, action]) => {
      const { method, path } = adminRoute(action.contract);
      return [`${method} ${path}`, { name, action }];
    }),
  );

  return apiChain({ headers: noStore, asksForJson: () => false })
    .use(verifyAdmin())
    .use(jsonBody())
    .handler(async (event): Promise<ApiResponse> => {
      const found = byRoute.get(declaredRoute(event.routeKey));
      if (!found) throw new ApiError("endpoint_not_found");
      assertSentPath(event);
      const { http, requestId } = event.requestContext;
      const result = await perform({
        name: found.name,
        fields: fieldsOf(event),
        actor: event.actor ?? "",
        sourceIp: http.sourceIp,
        requestId,
      });
      return render(found.action, result);
    });
};

/** A route as the action declares it: the template makes a parameter at the end greedy. */
const declaredRoute = (routeKey: string): string => routeKey.replace(/\+}$/, "}");

/** The fields from the path, the query and the body. A field that comes from two places is ambiguous and is refused. */
const fieldsOf = ({ pathParameters, queryStringParameters, body }: ApiEvent): Record<string, unknown> => {
  const sources = [pathParameters ?? {}, queryStringParameters ?? {}, typeof body === "object" ? body : {}];
  const names = sources.flatMap((source) => Object.keys(source));
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) {
    throw new ValidationError(Object.fromEntries(repeated.map((name) => [name, [`The ${name} must be sent once.`]])));
  }
  // Assigning a field named `__proto__` would set the prototype; fromEntries does not.
  return Object.fromEntries(sources.flatMap((source) => Object.entries(source)));
};

const render = ({ contract: { status = 200 } }: Action, result: unknown): ApiResponse =>
  result === undefined
    ? { statusCode: status }
    : { statusCode: status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(result) };
