import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { HttpApi, HttpRoute, IpAddressType } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IAlias } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { BundledFunction } from "./bundle.ts";
import type { DataStack } from "./data-stack.ts";
import { FrontDoor } from "./front-door.ts";
import { ServiceFunction } from "./service-function.ts";
import { ServiceLogs } from "./service-logs.ts";
import type { Options } from "./stages/options.ts";
import { doorOf } from "./stages/stage.ts";

interface IntegrationApiStackProps extends StackProps {
  functions: BundledFunction[];
  data: DataStack;
  options: Options;
}

/** The service but for its data: an HTTP API whose every route has a function of its own, and the admin function. */
export class IntegrationApiStack extends Stack {
  constructor(scope: Construct, id: string, { functions, data, options, ...props }: IntegrationApiStackProps) {
    super(scope, id, props);
    const { stage, dualStack, domainName } = options;
    const { tables, encryptionKey } = data;

    const logs = new ServiceLogs(this, "Logs", { stage, encryptionKey });
    const httpApi = new HttpApi(this, "HttpApi", {
      description: `The front door of the Integration API (${stage.name}).`,
      createDefaultStage: false,
      ipAddressType: dualStack ? IpAddressType.DUAL_STACK : IpAddressType.IPV4,
    });
    const baseUrl = domainName === undefined ? httpApi.apiEndpoint : `https://${domainName}`;

    const routes = functions.flatMap(({ name, routeKeys, ...declaration }) => {
      const logGroup = name === "admin" ? logs.admin : logs.requests;
      const provisionedConcurrency = doorOf(name) === "endpoint" ? options.provisionedConcurrency : 0;
      const { live } = new ServiceFunction(this, name, {
        ...declaration,
        tables,
        encryptionKey,
        logGroup,
        stage,
        provisionedConcurrency,
      });
      if (name === "admin") {
        new CfnOutput(this, "AdminFunctionName", {
          value: live.functionName,
          description: "The function to invoke to issue, list, rotate and revoke tokens.",
        });
      }
      const integration = new HttpLambdaIntegration(`${name}-integration`, live as IAlias);
      return routeKeys.map((routeKey) => new HttpRoute(this, routeKey.key, { httpApi, routeKey, integration }));
    });

    new FrontDoor(this, "FrontDoor", { httpApi, routes, functions, accessLog: logs.access, options });
    new CfnOutput(this, "BaseUrl", { value: baseUrl, description: "The address of the service." });
  }
}
