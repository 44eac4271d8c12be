import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * The fields of API Gateway's line for each request: who, what, and what came of it; never a header, a path or a query string,
 * which can hold anything. `lambda_request_id` is the id in Lambda's own lines, such as those on a time-out.
 *
 * Those of numbers are there for every request, and stand without quotes so that a metric filter can compare them.
 */
const texts = {
  request_id: "$context.requestId",
  time: "$context.requestTime",
  source_ip: "$context.identity.sourceIp",
  route: "$context.routeKey",
  lambda_request_id: "$context.integration.requestId",
  integration_status: "$context.integration.integrationStatus",
  integration_error: "$context.integrationErrorMessage",
  integration_latency_ms: "$context.integrationLatency",
  gateway_error: "$context.error.responseType",
  authorizer_error: "$context.authorizer.error",
};

const numbers = {
  status: "$context.status",
  latency_ms: "$context.responseLatency",
  response_bytes: "$context.responseLength",
};

const fields = [
  ...Object.entries(texts).map(([name, variable]) => `"${name}":"${variable}"`),
  ...Object.entries(numbers).map(([name, variable]) => `"${name}":${variable}`),
];

export const accessLogFormat = AccessLogFormat.custom(`{${fields.join(",")}}`);
