import { type HttpApi, HttpRoute, type IHttpRouteAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IAlias } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { FunctionKind } from "../stages/stage.ts";
import { explain } from "./rule-packs.ts";
import type { LiveFunction } from "./service-function.ts";

interface ServiceRoutesProps {
  /** The function that the routes lead to. */
  target: LiveFunction;
  httpApi: HttpApi;
  /** Admits the admins to the admin function's routes. */
  authorizer: IHttpRouteAuthorizer;
}

/** The routes of a function. A route without an authorizer has an explanation for cdk-nag. */
export const serviceRoutes = (scope: Construct, { target, httpApi, authorizer }: ServiceRoutesProps): HttpRoute[] => {
  const { name, kind, alias, routeKeys } = target;
  const integration = new HttpLambdaIntegration(`${name}-integration`, alias as IAlias);
  const reason = reasonsForNoAuthorizer[kind];
  return routeKeys.map((routeKey) => {
    const route = new HttpRoute(scope, routeKey.key, {
      httpApi,
      routeKey,
      integration,
      ...(kind === "admin" && { authorizer }),
    });
    if (reason !== undefined) explain(route, { "AwsSolutions-APIG4": reason });
    return route;
  });
};

const reasonsForNoAuthorizer: Readonly<Partial<Record<FunctionKind, string>>> = {
  endpoint:
    "The endpoint's own function verifies the token: an authorizer would be one more function to call, and could not tell a client why it is refused.",
  site: "Anybody may read the documentation and load the web interface, which holds nothing before its user has signed in.",
  fallback: "It serves only paths without a route, and gives nothing away.",
};
