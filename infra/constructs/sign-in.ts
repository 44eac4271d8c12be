import { Duration } from "aws-cdk-lib";
import { HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import {
  CfnManagedLoginBranding,
  ManagedLoginVersion,
  OAuthScope,
  type UserPool,
  UserPoolClient,
  UserPoolDomain,
} from "aws-cdk-lib/aws-cognito";
import { Construct } from "constructs";
import { type ServiceNames, slugOf } from "../../lambdas/declaration/service.ts";
import { userPoolVariables } from "../../lambdas/middlewares/verify-admin.ts";
import { loginOriginsVariable, settingsVariables } from "../../lambdas/site/settings-json.ts";
import type { FunctionKind } from "../stages/stage.ts";
import { nameSuffix } from "./lasting-resources.ts";

interface SignInProps {
  service: ServiceNames;
  userPool: UserPool;
  /** The address of the service, which browsers return to after signing in. */
  baseUrl: string;
}

/** The sign-in of admins: the managed login pages, the web interface as their client, and the authorizer of the admin routes. */
export class SignIn extends Construct {
  readonly authorizer: HttpJwtAuthorizer;
  /**
   * Environment variables by the kind of function. They define how the web interface signs in, which origins it may call for that,
   * and which issuer must have signed the admins' access tokens.
   */
  readonly variables: Readonly<Partial<Record<FunctionKind, Record<string, string>>>>;

  constructor(scope: Construct, id: string, { service, userPool, baseUrl }: SignInProps) {
    super(scope, id);
    const domain = this.domain(userPool, `${slugOf(service)}-${nameSuffix}`);
    const client = this.client(userPool, { title: service.title, address: `${baseUrl}/` });
    const { userPoolProviderUrl: authority } = userPool;
    const { userPoolClientId: clientId } = client;

    this.authorizer = new HttpJwtAuthorizer("admins", authority, { jwtAudience: [clientId] });
    this.variables = {
      site: {
        [settingsVariables.base_url]: baseUrl,
        [settingsVariables.authority]: authority,
        [settingsVariables.client_id]: clientId,
        [loginOriginsVariable]: domain.baseUrl(),
      },
      "admin-http": { [userPoolVariables.issuer]: authority, [userPoolVariables.clientId]: clientId },
    };
  }

  private domain(userPool: UserPool, domainPrefix: string): UserPoolDomain {
    // The prefix must be unique in the region across all accounts.
    return new UserPoolDomain(this, "Domain", {
      userPool,
      cognitoDomain: { domainPrefix },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
  }

  private client(userPool: UserPool, { title, address }: { title: string; address: string }): UserPoolClient {
    const client = new UserPoolClient(this, "WebInterface", {
      userPool,
      // The local sign-in page shows it. Cognito permits only these characters.
      userPoolClientName: title.replaceAll(/[^\w\s+=,.@-]/g, " "),
      generateSecret: false,
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      accessTokenValidity: Duration.hours(1),
      idTokenValidity: Duration.hours(1),
      // The shortest lifetime possible. The web interface does not use refresh tokens: a session ends with its access token.
      refreshTokenValidity: Duration.hours(1),
      oAuth: {
        flows: { authorizationCodeGrant: true, implicitCodeGrant: false, clientCredentials: false },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL],
        callbackUrls: [address],
        logoutUrls: [address],
      },
    });
    new CfnManagedLoginBranding(this, "Branding", {
      userPoolId: userPool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    return client;
  }
}
