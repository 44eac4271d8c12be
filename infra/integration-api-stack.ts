import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { HttpApi, HttpRoute } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Construct } from "constructs";
import type { BundledFunction } from "./bundle.ts";
import { ServiceFunction } from "./service-function.ts";
import { ServiceTables } from "./service-tables.ts";

interface IntegrationApiStackProps extends StackProps {
  functions: BundledFunction[];
}

/** The whole service: an HTTP API whose every route has a function of its own, the admin function, and the tables. */
export class IntegrationApiStack extends Stack {
  constructor(scope: Construct, id: string, { functions, ...props }: IntegrationApiStackProps) {
    super(scope, id, props);

    const { tables } = new ServiceTables(this, "Tables");
    const httpApi = new HttpApi(this, "HttpApi", { description: "The front door of the Integration API." });

    for (const { name, routeKeys, ...declaration } of functions) {
      const lambda = new ServiceFunction(this, name, { ...declaration, tables });
      const integration = new HttpLambdaIntegration(`${name}-integration`, lambda);
      for (const routeKey of routeKeys) {
        new HttpRoute(this, routeKey.key, { httpApi, routeKey, integration });
      }
      if (name === "admin") {
        new CfnOutput(this, "AdminFunctionName", {
          value: lambda.functionName,
          description: "The function to invoke to issue, list, rotate and revoke tokens.",
        });
      }
    }

    new CfnOutput(this, "BaseUrl", { value: httpApi.apiEndpoint, description: "The address of the service." });
  }
}
