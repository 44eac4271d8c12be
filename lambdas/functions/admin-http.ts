import { type Action, type Actions, adminRoute } from "../declaration/action.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { jsonBody } from "../middlewares/json-body.ts";
import type { ApiEvent, ApiResponse } from "../middlewares/request.ts";
import { verifyAdmin } from "../middlewares/verify-admin.ts";
import { apiChain } from "./api-chain.ts";
import type { PerformAction } from "./perform-action.ts";

/**
 * The door by HTTP, which the web interface uses: each action at its route under `/admin`, in JSON, behind API Gateway's JWT
 * authorizer.
 */
export const adminHttp = (actions: Actions, perform: PerformAction) => {
  const byRoute = new Map(
    Object.entries(actions).map(([name, action]) => {
      const { method, path } = adminRoute(action);
      return [`${method} ${path}`, { name, action }];
    }),
  );

  return apiChain({ asksForJson: () => false })
    .use(verifyAdmin())
    .use(jsonBody())
    .handler(async (event): Promise<ApiResponse> => {
      const found = byRoute.get(declared(event.routeKey));
      if (!found) throw new ApiError("endpoint_not_found");
      const { http, requestId } = event.requestContext;
      const answer = await perform({
        name: found.name,
        fields: fieldsOf(event),
        actor: event.actor ?? "",
        sourceIp: http.sourceIp,
        requestId,
      });
      return render(found.action, answer);
    });
};

/** A route as the action declares it: the template makes a parameter at its end greedy. */
const declared = (routeKey: string): string => routeKey.replace(/\+}$/, "}");

/** The fields from the path, the query and the body. One that comes from two places could be meant either way. */
const fieldsOf = ({ pathParameters, queryStringParameters, body }: ApiEvent): Record<string, unknown> => {
  const sources = [pathParameters ?? {}, queryStringParameters ?? {}, typeof body === "object" ? body : {}];
  const names = sources.flatMap((source) => Object.keys(source));
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  if (repeated.length > 0) {
    throw new ValidationError(Object.fromEntries(repeated.map((name) => [name, [`The ${name} must be sent once.`]])));
  }
  // Not by assignment, which would take a field `__proto__` for the prototype.
  return Object.fromEntries(sources.flatMap((source) => Object.entries(source)));
};

const render = ({ status = 200 }: Action, answer: unknown): ApiResponse =>
  answer === undefined
    ? { statusCode: status }
    : { statusCode: status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(answer) };
