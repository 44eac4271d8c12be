import { type Action, type Actions, adminRoute } from "../declaration/action.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { jsonBody } from "../middlewares/json-body.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { assertSentPath } from "../middlewares/sent-path.ts";
import { verifyAdmin } from "../middlewares/verify-admin.ts";
import { apiChain } from "./api-chain.ts";
import type { PerformAction } from "./perform-action.ts";

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
