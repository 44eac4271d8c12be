import { CfnOutput } from "aws-cdk-lib";
import {
  ApiMapping,
  CfnStage,
  DomainName,
  type HttpApi,
  type HttpRoute,
  HttpStage,
  IpAddressType,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { FunctionDeclaration } from "../functions.ts";
import type { Options } from "../stages/options.ts";
import { doorOf, type Throttle } from "../stages/stage.ts";
import { accessLogFormat } from "./access-log.ts";

interface FrontDoorProps {
  httpApi: HttpApi;
  routes: HttpRoute[];
  functions: Pick<FunctionDeclaration, "name" | "routeKeys">[];
  accessLog: ILogGroup;
  options: Options;
}

/** How the HTTP API is opened to the world: its one stage, throttled and logged, and the service's own name. */
export class FrontDoor extends Construct {
  constructor(scope: Construct, id: string, { httpApi, routes, functions, accessLog, options }: FrontDoorProps) {
    super(scope, id);
    const { throttles } = options.stage;

    const stage = new HttpStage(this, "Stage", {
      httpApi,
      stageName: "$default",
      autoDeploy: true,
      throttle: { rateLimit: throttles.endpoint.requestsPerSecond, burstLimit: throttles.endpoint.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: accessLogFormat },
    });
    const resource = stage.node.defaultChild;
    if (resource instanceof CfnStage) {
      resource.routeSettings = Object.fromEntries(
        functions
          .map(({ name, routeKeys }) => ({ door: doorOf(name), routeKeys }))
          .flatMap(({ door, routeKeys }) =>
            door === "endpoint" || door === "usage"
              ? []
              : routeKeys.map(({ key }) => [key, settingsOf(throttles[door])]),
          ),
      );
    }
    // API Gateway refuses the settings of a route that is not there yet.
    stage.node.addDependency(...routes);

    const { domainName, certificateArn, dualStack } = options;
    if (domainName !== undefined && certificateArn !== undefined) {
      const domain = new DomainName(this, "Domain", {
        domainName,
        certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
        ipAddressType: dualStack ? IpAddressType.DUAL_STACK : IpAddressType.IPV4,
      });
      // Without a mapping key: API Gateway would cut it off the paths that functions see.
      new ApiMapping(this, "Mapping", { api: httpApi, domainName: domain, stage });
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

const settingsOf = ({ requestsPerSecond, burst }: Throttle) => ({
  ThrottlingRateLimit: requestsPerSecond,
  ThrottlingBurstLimit: burst,
});
