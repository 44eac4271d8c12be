import type { operations } from "./functions.ts";

/** A function and the event that it is invoked with. */
export interface Invocation {
  functionName: string;
  event: unknown;
}

interface ApiRequest {
  requestId: string;
  /** The address that the request comes from, and the value of its `X-Token`. */
  address: string;
  text: string;
  parameters?: Readonly<Record<string, string>>;
  form?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
}

/** The invocation for a request to an endpoint. Its example has the parameters that are not given. */
export const requestTo = (
  { endpoint: { method, example }, path: template, operationId }: (typeof operations)[number],
  { requestId, address, text, parameters, form, headers = {} }: ApiRequest,
): Invocation => {
  const routeKey = `${method} ${template}`;
  const pathParameters = parameters ?? example.parameters;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters?.[name] ?? "");
  const event = {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString: "",
    headers: {
      accept: "application/json",
      "x-token": text,
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    },
    ...(pathParameters && { pathParameters }),
    ...(form && { body: new URLSearchParams(form).toString() }),
    isBase64Encoded: false,
    requestContext: {
      requestId,
      routeKey,
      stage: "$default",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: address, userAgent: "simulation" },
    },
  };
  return { functionName: operationId, event };
};
