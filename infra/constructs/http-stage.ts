import { CfnOutput } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import * as apigateway from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Options } from "../stages/options.ts";
import type { Throttle } from "../stages/stage.ts";

interface HttpStageProps {
  httpApi: apigateway.HttpApi;
  routes: apigateway.HttpRoute[];
  accessLog: ILogGroup;
  options: Options;
}

/** Exposes the HTTP API to clients: its only stage, with throttles and an access log, and an optional domain name. */
export class HttpStage extends Construct {
  constructor(scope: Construct, id: string, { httpApi, routes, accessLog, options }: HttpStageProps) {
    super(scope, id);
    const { throttles } = options.stage;

    const stage = new apigateway.HttpStage(this, "Stage", {
      httpApi,
      stageName: "$default",
      autoDeploy: true,
      throttle: { rateLimit: throttles.endpoint.requestsPerSecond, burstLimit: throttles.endpoint.burst },
      accessLogSettings: { destination: new apigateway.LogGroupLogDestination(accessLog), format: accessLogFormat },
    });
    const resource = stage.node.defaultChild;
    if (resource instanceof apigateway.CfnStage) {
      // Only this route has settings, because every release has it. Route settings outlive their route, and API Gateway then
      // rejects every later change of the stage. See docs/decisions/stages.md.
      resource.routeSettings = { $default: routeSettings(throttles.fallback) };
    }
    // API Gateway rejects settings for a route that does not exist yet.
    stage.node.addDependency(...routes);

    const { domainName, certificateArn, dualStack } = options;
    if (domainName !== undefined && certificateArn !== undefined) {
      const domain = new apigateway.DomainName(this, "Domain", {
        domainName,
        certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
        ipAddressType: dualStack ? apigateway.IpAddressType.DUAL_STACK : apigateway.IpAddressType.IPV4,
      });
      // There is no mapping key, because API Gateway would remove it from the paths that functions see.
      new apigateway.ApiMapping(this, "Mapping", { api: httpApi, domainName: domain, stage });
      new CfnOutput(scope, "DomainTarget", {
        value: domain.regionalDomainName,
        description: `The name that an alias record for ${domainName} must point to.`,
      });
      new CfnOutput(scope, "DomainTargetZone", {
        value: domain.regionalHostedZoneId,
        description: "The hosted zone of that name, for a record in Route 53.",
      });
    }
  }
}

const routeSettings = ({ requestsPerSecond, burst }: Throttle) => ({
  ThrottlingRateLimit: requestsPerSecond,
  ThrottlingBurstLimit: burst,
});

/**
 * The access log line for each request: who called what, and with which result. It contains no headers, paths or query strings,
 * because those can contain anything. `lambda_request_id` is the id in Lambda's own log lines, such as timeout messages.
 *
 * All values are strings. API Gateway writes `-` for a missing value, which is not valid JSON without quotes.
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
