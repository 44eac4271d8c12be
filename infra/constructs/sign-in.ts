import { Aws, Duration, Fn } from "aws-cdk-lib";
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
import { loginOriginsVariable, settingsVariables } from "../../lambdas/functions/site/settings.ts";

interface SignInProps {
  userPool: UserPool;
  /** The address of the service, where a login comes back to. */
  baseUrl: string;
}

/** How admins sign in: the pages of their login, the web interface as its client, and the authorizer of the HTTP door. */
export class SignIn extends Construct {
  readonly authorizer: HttpJwtAuthorizer;
  /** What the site function tells the web interface of the login, and the browser of its origins. */
  readonly siteVariables: Record<string, string>;

  constructor(scope: Construct, id: string, { userPool, baseUrl }: SignInProps) {
    super(scope, id);
    const domain = this.domain(userPool);
    const client = this.client(userPool, `${baseUrl}/`);
    const { userPoolProviderUrl: authority } = userPool;
    const { userPoolClientId: clientId } = client;

    this.authorizer = new HttpJwtAuthorizer("admins", authority, { jwtAudience: [clientId] });
    this.siteVariables = {
      [settingsVariables.base_url]: baseUrl,
      [settingsVariables.authority]: authority,
      [settingsVariables.client_id]: clientId,
      [loginOriginsVariable]: domain.baseUrl(),
    };
  }

  private domain(userPool: UserPool): UserPoolDomain {
    // Unique in the region among all accounts: the first part of the GUID in the id of the stack.
    const unique = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));
    return new UserPoolDomain(this, "Domain", {
      userPool,
      cognitoDomain: { domainPrefix: `integration-api-${unique}` },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
  }

  private client(userPool: UserPool, address: string): UserPoolClient {
    const client = new UserPoolClient(this, "WebInterface", {
      userPool,
      generateSecret: false,
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      accessTokenValidity: Duration.hours(1),
      idTokenValidity: Duration.hours(1),
      // The shortest that there is. The web interface has no use for it: a session ends with its access token.
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
