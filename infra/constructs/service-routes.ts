import {
  type HttpApi,
  HttpIntegrationType,
  HttpRoute,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  type HttpRouteProps,
  type IHttpRouteAuthorizer,
  IntegrationCredentials,
  PayloadFormatVersion,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, IAlias } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { FunctionKind } from "../stages/stage.ts";
import { replaceOnChange } from "./function-policies.ts";
import { explain } from "./rule-packs.ts";
import type { LiveFunction } from "./service-function.ts";

interface ServiceRoutesProps {
  /** The function that the routes lead to. */
  target: LiveFunction;
  httpApi: HttpApi;
  /** Admits admins to the routes of the function admin-http. */
  authorizer: IHttpRouteAuthorizer;
}

interface EndpointRoutesProps {
  functions: readonly LiveFunction[];
  httpApi: HttpApi;
}

/** Returns the routes of a function. If a route has no authorizer, the route explains this to cdk-nag. */
export const serviceRoutes = (scope: Construct, { target, httpApi, authorizer }: ServiceRoutesProps): HttpRoute[] => {
  const { name, kind, alias, routeKeys } = target;
  const integration = new HttpLambdaIntegration(`${name}-integration`, alias as IAlias, {
    // A function with many routes has a single permission, which does not cover the route $default.
    scopePermissionToRoute: routeKeys.length === 1,
  });
  return addRoutes(scope, target, { httpApi, integration, ...(kind === "admin-http" && { authorizer }) });
};

/**
 * Adds the routes of the endpoints in a nested stack. API Gateway calls all their functions with one role, which needs fewer
 * resources than one permission per function.
 */
export const endpointRoutes = (scope: Construct, { functions, httpApi }: EndpointRoutesProps): void => {
  const role = new Role(scope, "Gateway", { assumedBy: new ServicePrincipal("apigateway.amazonaws.com") });
  const resources = functions.map(({ alias }) => alias.functionArn);
  role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources }));
  // A deployment may remove a route, or add a route and roll it back. Each route must work for as long as it exists.
  replaceOnChange(role, "DefaultPolicy");
  for (const target of functions) {
    const integration = new RoleIntegration(`${target.name}-integration`, target.alias, role);
    for (const route of addRoutes(scope, target, { httpApi, integration })) route.node.addDependency(role);
  }
};

/** Calls a function with the permissions of a role. */
class RoleIntegration extends HttpRouteIntegration {
  readonly #config: HttpRouteIntegrationConfig;

  constructor(id: string, { functionArn }: Alias, role: Role) {
    super(id);
    this.#config = {
      type: HttpIntegrationType.AWS_PROXY,
      uri: functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      credentials: IntegrationCredentials.fromRole(role),
    };
  }

  override bind(): HttpRouteIntegrationConfig {
    return this.#config;
  }
}

const addRoutes = (
  scope: Construct,
  { kind, routeKeys }: LiveFunction,
  props: Pick<HttpRouteProps, "httpApi" | "integration" | "authorizer">,
): HttpRoute[] => {
  const reason = reasonsForNoAuthorizer[kind];
  return routeKeys.map((routeKey) => {
    const route = new HttpRoute(scope, routeKey.key, { ...props, routeKey });
    if (reason !== undefined) explain(route, { "AwsSolutions-APIG4": reason });
    return route;
  });
};

const reasonsForNoAuthorizer: Readonly<Partial<Record<FunctionKind, string>>> = {
  endpoint:
    "The endpoint's own function verifies the token: an authorizer would be one more function to call, and could not tell a client why it is rejected.",
  site: "Anybody may read the documentation and load the web interface, which holds nothing before its user has signed in.",
  fallback: "It serves only paths without a route, and gives nothing away.",
};
