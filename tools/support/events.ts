import type { Context } from "aws-lambda";
import type { ApiEvent } from "../../lambdas/middlewares/request.ts";

interface EventOptions extends Partial<Omit<ApiEvent, "requestContext">> {
  sourceIp?: string;
  requestId?: string;
  method?: string;
  /** The result of the JWT authorizer, or `undefined` on a route without one. */
  claims?: Record<string, unknown> | undefined;
}

/** Returns an event as API Gateway creates it (payload format 2.0), by default from a well-behaved client. */
export const apiEvent = ({
  sourceIp = "198.51.100.7",
  requestId = "request-1",
  method = "GET",
  claims,
  ...rest
}: EventOptions = {}): ApiEvent => {
  const event: ApiEvent = {
    version: "2.0",
    routeKey: "GET /api/v1/key",
    rawPath: "/api/v1/key",
    rawQueryString: "",
    headers: { accept: "application/json" },
    isBase64Encoded: false,
    ...rest,
    requestContext: {
      accountId: "123456789012",
      apiId: "api",
      domainName: "api.example.com",
      domainPrefix: "api",
      http: { method, path: "/api/v1/key", protocol: "HTTP/1.1", sourceIp, userAgent: "test" },
      requestId,
      routeKey: "GET /api/v1/key",
      stage: "$default",
      time: "21/Nov/2026:10:15:30 +0000",
      timeEpoch: 1_795_256_130_000,
      ...(claims && { authorizer: { jwt: { claims, scopes: null } } }),
    },
  };
  return event;
};

export const lambdaContext: Context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: "test",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:test",
  memoryLimitInMB: "128",
  awsRequestId: "invocation-1",
  logGroupName: "test",
  logStreamName: "test",
  getRemainingTimeInMillis: () => 10_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
};
