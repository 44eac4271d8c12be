import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { type DeployedStacks, refusal, resourceType } from "./stack-resources.ts";
import { poolType } from "./user-pool.ts";

/** An authorizer of the HTTP API: the issuer that it trusts, and the clients that it accepts tokens for. */
export interface JwtAuthorizer {
  issuer: string;
  audience: string[];
}

/** A route of the HTTP API and its function. */
export interface RouteDefinition {
  /** `GET /items/{id}`, `ANY /admin/{proxy+}` or `$default`. */
  routeKey: string;
  functionArn: string;
  /** The role that API Gateway uses to call the function. Without a role, API Gateway needs the function's permission. */
  credentialsArn: string | undefined;
  timeoutMilliseconds: number;
  /** Checks the token before the function is called; undefined lets every request through. */
  authorizer: JwtAuthorizer | undefined;
}

export interface HttpApiDefinition {
  id: string;
  routes: RouteDefinition[];
}

const noThrottles = "throttles protect an account's bill and its other users, and a local run has neither";

const apiType = resourceType({
  type: "AWS::ApiGatewayV2::Api",
  ref: ({ logicalId }) => logicalId,
  attributes: ({ logicalId, baseUrl }) => ({ ApiId: logicalId, ApiEndpoint: baseUrl }),
  ignored: {
    "the local run listens on one loopback address": "IpAddressType DisableExecuteApiEndpoint",
    "text for people": "Name",
  },
  schema: z.strictObject({
    ProtocolType: z.literal("HTTP"),
    RouteSelectionExpression: z.optional(z.literal("$request.method $request.path")),
  }),
});

const stageType = resourceType({
  type: "AWS::ApiGatewayV2::Stage",
  ignored: {
    "functions log to the terminal": "AccessLogSettings",
    [noThrottles]: "DefaultRouteSettings RouteSettings",
  },
  schema: z.strictObject({
    ApiId: z.string(),
    StageName: z.literal(
      "$default",
      "only the $default stage runs locally, because it puts no prefix before the paths",
    ),
    AutoDeploy: z.literal(true, "without AutoDeploy the routes of an earlier deployment would answer"),
  }),
});

const route = {
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string().check(z.startsWith("integrations/")),
  ApiKeyRequired: z.optional(z.literal(false)),
};

const routeType = resourceType({
  type: "AWS::ApiGatewayV2::Route",
  schema: z.discriminatedUnion("AuthorizationType", [
    z.strictObject({ ...route, AuthorizationType: z._default(z.literal("NONE"), "NONE") }),
    z.strictObject({
      ...route,
      AuthorizationType: z.literal("JWT"),
      AuthorizerId: z.string(),
    }),
  ]),
});

const integrationType = resourceType({
  type: "AWS::ApiGatewayV2::Integration",
  schema: z.strictObject({
    ApiId: z.string(),
    IntegrationType: z.literal("AWS_PROXY"),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal("2.0"),
    CredentialsArn: z.optional(z.string()),
    ConnectionType: z.optional(z.literal("INTERNET")),
    TimeoutInMillis: z._default(z.coerce.number().check(z.minimum(50), z.maximum(30_000)), 30_000),
  }),
});

const authorizerType = resourceType({
  type: "AWS::ApiGatewayV2::Authorizer",
  ignored: { "text for people": "Name" },
  schema: z.strictObject({
    ApiId: z.string(),
    AuthorizerType: z.literal("JWT", "only JWT authorizers run locally"),
    IdentitySource: z.tuple([z.literal("$request.header.Authorization")]),
    JwtConfiguration: z.strictObject({ Issuer: z.string(), Audience: z.array(z.string()).check(z.minLength(1)) }),
  }),
});

export const httpApiTypes = [apiType, stageType, routeType, integrationType, authorizerType];

/** Reads the HTTP API of the stacks, or undefined if there is none. Throws if there are several, because there is only one port. */
export const readHttpApi = (stacks: DeployedStacks): HttpApiDefinition | undefined => {
  stacks.read(apiType);
  stacks.read(stageType);
  const integrations = new Map(
    stacks.read(integrationType).map(({ resource, properties }) => [resource.ref, properties]),
  );
  const authorizers = readAuthorizers(stacks);
  const routes = stacks.readEach(routeType, ({ properties: route }): RouteDefinition => {
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
      credentialsArn: integration.CredentialsArn,
      timeoutMilliseconds: integration.TimeoutInMillis,
      authorizer,
    };
  });
  const [first, another] = stacks.all(apiType);
  if (first === undefined) return undefined;
  if (another) {
    const both = `${first.logicalId} and ${another.logicalId}`;
    throw new LocalError(`${both} cannot both run locally: only one HTTP API can.`);
  }
  if (stacks.all(stageType).length === 0) {
    throw new LocalError(`HTTP API ${first.logicalId} has no stage, so it could not answer.`);
  }
  return { id: first.ref, routes };
};

/** Reads the authorizers of the stacks, by id. Throws if an authorizer trusts an issuer that doesn't run locally. */
const readAuthorizers = ({ all, readEach }: DeployedStacks): ReadonlyMap<string, JwtAuthorizer> =>
  new Map(
    readEach(authorizerType, ({ resource, properties }) => {
      const { Issuer, Audience: audience } = properties.JwtConfiguration;
      // Templates refer to the pool by its ProviderURL or by Cognito's address, which are the same in AWS.
      const pool = all(poolType).find(({ attributes: { ProviderURL, ProviderName } }) =>
        [ProviderURL, `https://${ProviderName}`].includes(Issuer),
      );
      const issuer = pool?.attributes.ProviderURL;
      if (issuer !== undefined) return [resource.ref, { issuer, audience }];
      throw refusal(resource, `it trusts the issuer ${Issuer}, which is not a user pool of this app`);
    }),
  );

// Templates have either the function's ARN or API Gateway's form `…:lambda:path/2015-03-31/functions/ARN/invocations`.
const functionArnOf = (uri: string): string => /\/functions\/(.+)\/invocations$/.exec(uri)?.[1] ?? uri;
