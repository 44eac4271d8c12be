import { Duration, type Stack } from "aws-cdk-lib";
import { HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import {
  CfnManagedLoginBranding,
  CfnUserPoolGroup,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClientOptions,
} from "aws-cdk-lib/aws-cognito";
import { addFunction, synthesise } from "./synthesise.ts";

const echo = "exports.handler = async ({ requestContext }) => requestContext.authorizer ?? null";

/**
 * Writes a cloud assembly with a login, synthesised by the CDK's own constructs. It has a user pool with two groups, and a function
 * that returns what the authorizer passes to it.
 */
export const writeLoginAssembly = (directory: string, options: UserPoolClientOptions = {}): string =>
  synthesise(directory, (stack) => {
    const httpApi = new HttpApi(stack, "Api");
    const { userPool, clientId } = addLogin(stack, { address: `${httpApi.apiEndpoint}/`, options });
    const authorizer = new HttpJwtAuthorizer("users", userPool.userPoolProviderUrl, { jwtAudience: [clientId] });
    const handler = addFunction(stack, "echo", echo);
    const integration = new HttpLambdaIntegration("echo-integration", handler);
    for (const [path, guard] of Object.entries({ "/open": {}, "/guarded": { authorizer } })) {
      const routeKey = HttpRouteKey.with(path, HttpMethod.GET);
      new HttpRoute(stack, path, { httpApi, routeKey, integration, ...guard });
    }
  });

const addLogin = (stack: Stack, { address, options }: { address: string; options: UserPoolClientOptions }) => {
  const userPool = new UserPool(stack, "Users", {
    selfSignUpEnabled: false,
    signInAliases: { username: true },
    signInCaseSensitive: false,
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { sms: false, otp: true },
    passwordPolicy: { minLength: 14 },
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: true,
  });
  const { userPoolId } = userPool;
  const { userPoolClientId: clientId } = userPool.addClient("Web", {
    accessTokenValidity: Duration.minutes(30),
    idTokenValidity: Duration.minutes(10),
    oAuth: {
      flows: { authorizationCodeGrant: true },
      scopes: [OAuthScope.OPENID, OAuthScope.EMAIL],
      callbackUrls: [address],
      logoutUrls: [address],
    },
    ...options,
  });
  userPool.addDomain("Domain", {
    cognitoDomain: { domainPrefix: `test-${stack.account}` },
    managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
  });
  new CfnManagedLoginBranding(stack, "Branding", { userPoolId, clientId, useCognitoProvidedValues: true });
  for (const groupName of ["Admin", "Superuser"]) {
    new CfnUserPoolGroup(stack, groupName, { userPoolId, groupName, description: "A group", precedence: 1 });
  }
  return { userPool, clientId };
};
