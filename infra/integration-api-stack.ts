import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { HttpApi, IpAddressType } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IAlias } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { BundledFunction } from "./build/bundle.ts";
import { FrontDoor } from "./constructs/front-door.ts";
import { ServiceFunction } from "./constructs/service-function.ts";
import { ServiceLogs } from "./constructs/service-logs.ts";
import { ServiceRoute } from "./constructs/service-route.ts";
import { SignIn } from "./constructs/sign-in.ts";
import { TrafficShift } from "./constructs/traffic-shift.ts";
import { UsageFeed } from "./constructs/usage-feed.ts";
import type { DataStack } from "./data-stack.ts";
import type { LiveFunction } from "./monitoring/function-alarms.ts";
import { Monitoring } from "./monitoring/monitoring.ts";
import type { Options } from "./stages/options.ts";
import { doorOf } from "./stages/stage.ts";

interface IntegrationApiStackProps extends StackProps {
  functions: BundledFunction[];
  data: DataStack;
  options: Options;
}

/** The service but for its data: an HTTP API whose every endpoint has a function of its own, the admin function, the login. */
export class IntegrationApiStack extends Stack {
  constructor(scope: Construct, id: string, { functions, data, options, ...props }: IntegrationApiStackProps) {
    super(scope, id, props);
    const { stage, dualStack, domainName } = options;
    const { tables, userPool, encryptionKey } = data;

    const logs = new ServiceLogs(this, "Logs", { stage, encryptionKey });
    const httpApi = new HttpApi(this, "HttpApi", {
      description: `The front door of the Integration API (${stage.name}).`,
      createDefaultStage: false,
      ipAddressType: dualStack ? IpAddressType.DUAL_STACK : IpAddressType.IPV4,
    });
    const baseUrl = domainName === undefined ? httpApi.apiEndpoint : `https://${domainName}`;
    const { authorizer, siteVariables } = new SignIn(this, "SignIn", { userPool, baseUrl });

    const live: LiveFunction[] = [];
    const routes = functions.flatMap(({ name, routeKeys, ...declaration }) => {
      const door = doorOf(name);
      const lambda = new ServiceFunction(this, name, {
        ...declaration,
        tables,
        ...(door === "site" && { variables: siteVariables }),
        encryptionKey,
        logGroup: door === "admin" || door === "usage" ? logs[door] : logs.requests,
        stage,
        provisionedConcurrency: door === "endpoint" ? options.provisionedConcurrency : 0,
      });
      live.push({ name, live: lambda.live, routes: routeKeys.map(({ key }) => key) });
      if (door === "admin") {
        new CfnOutput(this, "AdminFunctionName", {
          value: lambda.live.functionName,
          description: "The function to invoke to issue, list, rotate and revoke tokens.",
        });
      }
      if (door === "usage") {
        new UsageFeed(this, "UsageFeed", { log: logs.requests, usage: lambda.live });
        return [];
      }
      const integration = new HttpLambdaIntegration(`${name}-integration`, lambda.live as IAlias);
      return routeKeys.map(
        (routeKey) =>
          new ServiceRoute(this, { httpApi, routeKey, integration, door, ...(door === "admin" && { authorizer }) }),
      );
    });

    new FrontDoor(this, "FrontDoor", { httpApi, routes, functions, accessLog: logs.access, options });
    if (stage.isWatched) {
      const watched = { functions: live, httpApi, tables, logs, encryptionKey, options };
      const monitoring = new Monitoring(this, "Monitoring", watched);
      if (stage.shiftsTraffic) new TrafficShift(this, "TrafficShift", { functions: live, monitoring });
    }
    new CfnOutput(this, "BaseUrl", { value: baseUrl, description: "The address of the service." });
  }
}
