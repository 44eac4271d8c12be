import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { HttpApi, HttpRoute } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Construct } from "constructs";
import type { BundledFunction } from "./bundle.ts";
import { ServiceFunction } from "./service-function.ts";
import { ServiceTables } from "./service-tables.ts";
import { SignIn } from "./sign-in.ts";

interface IntegrationApiStackProps extends StackProps {
  functions: BundledFunction[];
  /** The address of a first Superuser, who gets an invitation. */
  superuserEmail?: string | undefined;
}

/** The whole service: an HTTP API whose every endpoint has a function of its own, the admin function, the tables, the login. */
export class IntegrationApiStack extends Stack {
  constructor(scope: Construct, id: string, { functions, superuserEmail, ...props }: IntegrationApiStackProps) {
    super(scope, id, props);

    const { tables } = new ServiceTables(this, "Tables");
    const httpApi = new HttpApi(this, "HttpApi", { description: "The front door of the Integration API." });
    const { userPoolId, authorizer, siteVariables } = new SignIn(this, "SignIn", {
      baseUrl: httpApi.apiEndpoint,
      superuserEmail,
    });

    for (const { name, routeKeys, isForAdmins, ...declaration } of functions) {
      const variables = name === "site" ? siteVariables : {};
      const lambda = new ServiceFunction(this, name, { ...declaration, tables, variables });
      const integration = new HttpLambdaIntegration(`${name}-integration`, lambda);
      for (const routeKey of routeKeys) {
        new HttpRoute(this, routeKey.key, { httpApi, routeKey, integration, ...(isForAdmins && { authorizer }) });
      }
      if (name === "admin") {
        new CfnOutput(this, "AdminFunctionName", {
          value: lambda.functionName,
          description: "The function to invoke to issue, list, rotate and revoke tokens.",
        });
      }
    }

    new CfnOutput(this, "UserPoolId", { value: userPoolId, description: "The user pool of the admins." });
    new CfnOutput(this, "BaseUrl", { value: httpApi.apiEndpoint, description: "The address of the service." });
  }
}
