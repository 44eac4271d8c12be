import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { type Action, type Actions, adminRoute } from "../declaration/action.ts";
import type { ExistingStoresOptions } from "../domain/create-stores.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import { apiChain } from "../middlewares/chain.ts";
import type { BodyFields } from "../middlewares/read-body.ts";
import { readJson } from "../middlewares/read-json.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { assertSentPath } from "../middlewares/validate-input.ts";
import { type UserPool, verifyAdmin } from "../middlewares/verify-admin.ts";
import { otherError, ValidationError } from "../shared/errors/api-error.ts";
import { actionPerformer, type PerformAction } from "./perform-action.ts";

/**
 * Creates the Lambda handler of the admin-http function, which runs actions for admins who are signed in to the web interface.
 *
 * API Gateway's authorizer verifies the access token, but anyone who may invoke the function can forge an event. The function
 * therefore verifies the token again, and ignores what the event says about it.
 */
export const serveAdminHttp = (actions: Actions, userPool: UserPool, storesOptions?: ExistingStoresOptions) =>
  withinInvocation<unknown, Context, ApiResponse>(
    adminHttp(actions, { userPool, perform: actionPerformer(actions, storesOptions) }),
  );

/** The parts of API Gateway's event that the HTTP interface relies on. An event without them has a different source. */
const httpEvent = z.looseObject({
  routeKey: z.string(),
  rawPath: z.string(),
  headers: z.record(z.string(), z.string()),
  requestContext: z.looseObject({
    requestId: z.string(),
    http: z.looseObject({ method: z.string(), sourceIp: z.string() }),
  }),
});

const isHttpEvent = (payload: unknown): payload is ApiEvent => z.safeParse(httpEvent, payload).success;

/** Keeps browsers from storing what admins see. */
const noStore = { "Cache-Control": "no-store" };

/** Serves the actions over HTTP, as JSON, at routes under `/admin`. */
export const adminHttp = (actions: Actions, { userPool, perform }: { userPool: UserPool; perform: PerformAction }) => {
  const byRoute = new Map(
    Object.entries(actions).map(([name, action]) => {
      const { method, path } = adminRoute(action.contract);
      return [`${method} ${path}`, { name, action }];
    }),
  );

  const respond = apiChain({ headers: noStore, asksForJson: () => false })
    .use(verifyAdmin(userPool))
    .use(readJson())
    .handler<ApiEvent>(async (event): Promise<ApiResponse> => {
      const found = byRoute.get(declaredRoute(event.routeKey));
      if (!found) throw otherError("endpoint_not_found");
      assertSentPath(event);
      const { http, requestId } = event.requestContext;
      const result = await perform({
        name: found.name,
        fields: fieldsOf(event),
        actor: event.actor,
        sourceIp: http.sourceIp,
        requestId,
      });
      return render(found.action, result);
    });
  return async (payload: unknown, context: Context): Promise<ApiResponse> => {
    if (!isHttpEvent(payload)) throw otherError("sign_in_required");
    return respond(payload, context);
  };
};

/** Removes the `+` that the template adds to a parameter at the end of a route. */
const declaredRoute = (routeKey: string): string => routeKey.replace(/\+}$/, "}");

/**
 * Collects the fields from the path, the query and the body. Rejects a field that occurs in more than one of them, because it is
 * ambiguous.
 */
const fieldsOf = ({
  pathParameters,
  queryStringParameters,
  fields,
}: ApiEvent & BodyFields): Record<string, unknown> => {
  const sources = [pathParameters ?? {}, queryStringParameters ?? {}, Object(fields)];
  const names = sources.flatMap((source) => Object.keys(source));
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) {
    throw new ValidationError(Object.fromEntries(repeated.map((name) => [name, [`The ${name} must be sent once.`]])));
  }
  // Assigning a field named `__proto__` would set the prototype; fromEntries creates an ordinary field.
  return Object.fromEntries(sources.flatMap((source) => Object.entries(source)));
};

const render = ({ contract: { status = 200 } }: Action, result: unknown): ApiResponse =>
  result === undefined
    ? { statusCode: status }
    : { statusCode: status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(result) };
