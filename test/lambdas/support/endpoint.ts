import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { serveEndpoint } from "../../../lambdas/functions/serve-endpoint.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";

export interface EndpointCall extends Omit<NonNullable<Parameters<typeof apiEvent>[0]>, "body"> {
  token: string;
  /** The fields of a form, or a body as text. */
  form?: Record<string, string> | string | undefined;
}

/** One environment of an endpoint's function, called as API Gateway does, by default from the address of a test's tokens. */
export const environmentOf = (endpoint: Endpoint) => {
  const serve = serveEndpoint(endpoint, { version: "v1", tables });
  return async ({ token, form, headers, ...event }: EndpointCall) => {
    const response = await serve(
      apiEvent({
        method: endpoint.method,
        routeKey: `${endpoint.method} /api/v1${endpoint.path}`,
        ...event,
        headers: {
          accept: "application/json",
          "x-token": token,
          ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
          ...headers,
        },
        ...(form !== undefined && { body: typeof form === "string" ? form : new URLSearchParams(form).toString() }),
      }),
      lambdaContext,
    );
    const text = response.body ?? "";
    const body: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
    return { status: response.statusCode, headers: { ...response.headers }, text, body };
  };
};

/** Calls an endpoint in a new environment. */
export const callEndpoint = (endpoint: Endpoint, call: EndpointCall) => environmentOf(endpoint)(call);
