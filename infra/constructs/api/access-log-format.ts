import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * API Gateway's line for each request: who called what, and with what result. No header, path or query string, which can contain
 * anything. `lambda_request_id` is the id in Lambda's own lines, such as those about a time-out.
 *
 * All values are strings, because API Gateway writes `-` for a missing value, which is not valid JSON without quotes.
 */
const line = {
  request_id: "$context.requestId",
  time: "$context.requestTime",
  source_ip: "$context.identity.sourceIp",
  route: "$context.routeKey",
  status: "$context.status",
  latency_ms: "$context.responseLatency",
  response_bytes: "$context.responseLength",
  lambda_request_id: "$context.integration.requestId",
  integration_status: "$context.integration.integrationStatus",
  integration_latency_ms: "$context.integrationLatency",
  integration_error: "$context.integrationErrorMessage",
  gateway_error: "$context.error.responseType",
  authorizer_error: "$context.authorizer.error",
};

export const accessLogFormat = AccessLogFormat.custom(JSON.stringify(line));
