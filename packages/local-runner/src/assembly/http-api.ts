import { LocalError } from "../local-error.ts";
import * as z from "../zod.ts";
import { type JwtAuthorizer, readAuthorizers } from "./authorizers.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

/** One route of the HTTP API, and the function behind it. */
export interface RouteDefinition {
  /** `GET /api/v1/key`, `ANY /admin/{proxy+}` or `$default`. */
  readonly routeKey: string;
  readonly functionArn: string;
  readonly timeoutMilliseconds: number;
  /** Who asks for a token before the function is called; undefined lets everybody through. */
  readonly authorizer: JwtAuthorizer | undefined;
  /** The token must have one of these; with none, any token will do. */
  readonly scopes: readonly string[];
}

export interface HttpApiDefinition {
  readonly id: string;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
  readonly routes: readonly RouteDefinition[];
}

const apiSchema = z.strictObject({
  ProtocolType: z.literal("HTTP"),
  RouteSelectionExpression: z.optional(z.literal("$request.method $request.path")),
  // The local run answers at one address only, which stands in for this very endpoint.
  DisableExecuteApiEndpoint: z.optional(z.literal(false)),
});

const stageSchema = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal("$default", "only the $default stage, which puts no prefix before the paths"),
  AutoDeploy: z.literal(true, "without AutoDeploy the routes that answer are those of some earlier deployment"),
  StageVariables: z.optional(z.record(z.string(), z.string())),
});

const route = {
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string().check(z.startsWith("integrations/")),
  ApiKeyRequired: z.optional(z.literal(false)),
};

const routeSchema = z.discriminatedUnion("AuthorizationType", [
  z.strictObject({ ...route, AuthorizationType: z._default(z.literal("NONE"), "NONE") }),
  z.strictObject({
    ...route,
    AuthorizationType: z.literal("JWT"),
    AuthorizerId: z.string(),
    AuthorizationScopes: z._default(z.array(z.string()), []),
  }),
]);

const integrationSchema = z.strictObject({
  ApiId: z.string(),
  IntegrationType: z.literal("AWS_PROXY"),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z.literal("2.0"),
  ConnectionType: z.optional(z.literal("INTERNET")),
  TimeoutInMillis: z._default(z.coerce.number().check(z.minimum(50), z.maximum(30_000)), 30_000),
});

const forPeople = { Name: "a text for people", Description: "a text for people", Tags: "a text for people" };
const harmlessOfApi = { ...forPeople, IpAddressType: "the local run listens on one loopback address" };
const harmlessOfStage = {
  ...forPeople,
  AccessLogSettings: "functions log each request to the terminal",
  DefaultRouteSettings: "throttles protect an account's bill and its other tenants, and a local run has neither",
  RouteSettings: "throttles protect an account's bill and its other tenants, and a local run has neither",
};
const harmlessOfRoute = { OperationName: "a text for people" };
const harmlessOfIntegration = { ...forPeople, IntegrationMethod: "a Lambda function is always invoked by POST" };

/** Reads the HTTP API of the stacks, or undefined if there is none. Throws if there are several: `PORT` is one. */
export function readHttpApi(resources: readonly StackResource[]): HttpApiDefinition | undefined {
  const ofType = (type: string) => resources.filter((resource) => resource.type === `AWS::ApiGatewayV2::${type}`);
  const [api, another] = ofType("Api");
  if (api === undefined) return undefined;
  if (another)
    throw new LocalError(`${api.logicalId} and ${another.logicalId} cannot both run locally: one HTTP API can.`);
  readProperties(api, apiSchema, harmlessOfApi);

  const [stage] = ofType("Stage").map((resource) => readProperties(resource, stageSchema, harmlessOfStage));
  if (stage === undefined) throw new LocalError(`HTTP API ${api.logicalId} has no stage, so it would answer nothing.`);

  const integrations = new Map(
    ofType("Integration").map((resource) => [
      resource.identity.ref,
      readProperties(resource, integrationSchema, harmlessOfIntegration),
    ]),
  );
  const authorizers = readAuthorizers(resources);
  const routes = ofType("Route").map((resource): RouteDefinition => {
    const route = readProperties(resource, routeSchema, harmlessOfRoute);
    const { RouteKey, Target } = route;
    const integration = integrations.get(Target.slice("integrations/".length));
    if (integration === undefined) throw new LocalError(`Route ${RouteKey} leads to ${Target}, which does not exist.`);
    const isGuarded = route.AuthorizationType === "JWT";
    const authorizer = isGuarded ? authorizers.get(route.AuthorizerId) : undefined;
    if (isGuarded && authorizer === undefined) {
      throw new LocalError(`Route ${RouteKey} has the authorizer ${route.AuthorizerId}, which does not exist.`);
    }
    return {
      routeKey: RouteKey,
      functionArn: functionArnOf(integration.IntegrationUri),
      timeoutMilliseconds: integration.TimeoutInMillis,
      authorizer,
      scopes: isGuarded ? route.AuthorizationScopes : [],
    };
  });
  return { id: api.identity.ref, stageVariables: stage.StageVariables, routes };
}

// Templates give either the function's ARN or the API Gateway form `…:lambda:path/2015-03-31/functions/ARN/invocations`.
const functionArnOf = (uri: string): string => /\/functions\/(.+)\/invocations$/.exec(uri)?.[1] ?? uri;
