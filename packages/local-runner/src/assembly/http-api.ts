import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { ofType, readProperties, refusal, type StackResource } from "./stack-resources.ts";

/** An authorizer of the HTTP API: the issuer that it trusts, and the clients that tokens must be for. */
export interface JwtAuthorizer {
  issuer: string;
  audience: string[];
}

const authorizerSchema = z.strictObject({
  ApiId: z.string(),
  AuthorizerType: z.literal("JWT", "only JWT authorizers run locally"),
  IdentitySource: z.tuple([z.literal("$request.header.Authorization")]),
  JwtConfiguration: z.strictObject({ Issuer: z.string(), Audience: z.array(z.string()).check(z.minLength(1)) }),
});

/** Reads the authorizers of the stacks, by id. Throws if one trusts an issuer that does not run here. */
export const readAuthorizers = (resources: StackResource[]): ReadonlyMap<string, JwtAuthorizer> => {
  const issuers = ofType(resources, "AWS::Cognito::UserPool").map(({ identity }) => identity.attributes.ProviderURL);
  return new Map(
    ofType(resources, "AWS::ApiGatewayV2::Authorizer").map((resource) => {
      const { Issuer: issuer, Audience: audience } = readProperties(resource, authorizerSchema).JwtConfiguration;
      if (!issuers.includes(issuer)) {
        const problem = `it trusts the issuer ${issuer}, which is not the ProviderURL of a user pool of this app`;
        throw refusal(resource, problem);
      }
      return [resource.identity.ref, { issuer, audience }];
    }),
  );
};

/** A route of the HTTP API and the function behind it. */
export interface RouteDefinition {
  /** `GET /items/{id}`, `ANY /admin/{proxy+}` or `$default`. */
  routeKey: string;
  functionArn: string;
  timeoutMilliseconds: number;
  /** What checks the token before the function is called; undefined lets everybody through. */
  authorizer: JwtAuthorizer | undefined;
  /** The token must have one of these; if there are none, any valid token passes. */
  scopes: string[];
}

export interface HttpApiDefinition {
  id: string;
  stageVariables: Record<string, string> | undefined;
  routes: RouteDefinition[];
}

const apiSchema = z.strictObject({
  ProtocolType: z.literal("HTTP"),
  RouteSelectionExpression: z.optional(z.literal("$request.method $request.path")),
  // The only address of a local run stands in for this endpoint.
  DisableExecuteApiEndpoint: z.optional(z.literal(false)),
});

const stageSchema = z.strictObject({
  ApiId: z.string(),
  StageName: z.literal("$default", "only the $default stage runs locally, because it puts no prefix before the paths"),
  AutoDeploy: z.literal(true, "without AutoDeploy the routes of an earlier deployment would answer"),
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

/** Reads the HTTP API of the stacks, or undefined if there is none. Throws if there are several, because there is one port. */
export const readHttpApi = (resources: StackResource[]): HttpApiDefinition | undefined => {
  const [api, another] = ofType(resources, "AWS::ApiGatewayV2::Api");
  if (api === undefined) return undefined;
  if (another)
    throw new LocalError(`${api.logicalId} and ${another.logicalId} cannot both run locally: only one HTTP API can.`);
  readProperties(api, apiSchema);

  const [stage] = ofType(resources, "AWS::ApiGatewayV2::Stage").map((resource) =>
    readProperties(resource, stageSchema),
  );
  if (stage === undefined) throw new LocalError(`HTTP API ${api.logicalId} has no stage, so it could not answer.`);

  const integrations = new Map(
    ofType(resources, "AWS::ApiGatewayV2::Integration").map((resource) => [
      resource.identity.ref,
      readProperties(resource, integrationSchema),
    ]),
  );
  const authorizers = readAuthorizers(resources);
  const routes = ofType(resources, "AWS::ApiGatewayV2::Route").map((resource): RouteDefinition => {
    const route = readProperties(resource, routeSchema);
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
};

// Templates have either the function's ARN or API Gateway's form `…:lambda:path/2015-03-31/functions/ARN/invocations`.
const functionArnOf = (uri: string): string => /\/functions\/(.+)\/invocations$/.exec(uri)?.[1] ?? uri;
