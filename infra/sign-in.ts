import { Aws, Duration, Fn, RemovalPolicy } from "aws-cdk-lib";
import { HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  CfnUserPool,
  CfnUserPoolGroup,
  CfnUserPoolUser,
  CfnUserPoolUserToGroupAttachment,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  type UserPoolDomain,
} from "aws-cdk-lib/aws-cognito";
import { Construct } from "constructs";
import { loginOriginsVariable, settingsVariables } from "../lambdas/site/settings.ts";

interface SignInProps {
  /** The address of the service, where a login comes back to. */
  baseUrl: string;
  /** The address of a first Superuser, who gets an invitation. */
  superuserEmail?: string | undefined;
}

/**
 * How admins sign in: a Cognito user pool with the groups `Admin` and `Superuser`, its login pages, and the authorizer that lets
 * its users alone through the HTTP door.
 */
export class SignIn extends Construct {
  readonly userPoolId: string;
  readonly authorizer: HttpJwtAuthorizer;
  /** What the site function tells the web interface of the login, and the browser of its origins. */
  readonly siteVariables: Record<string, string>;

  constructor(scope: Construct, id: string, { baseUrl, superuserEmail }: SignInProps) {
    super(scope, id);
    const userPool = this.userPool();
    const domain = this.domain(userPool);
    const client = this.client(userPool, `${baseUrl}/`);

    for (const groupName of ["Admin", "Superuser"]) {
      new CfnUserPoolGroup(this, `${groupName}Group`, { userPoolId: userPool.userPoolId, groupName });
    }
    if (superuserEmail !== undefined) this.inviteSuperuser(userPool, superuserEmail);

    const { userPoolId, userPoolProviderUrl: authority } = userPool;
    const { userPoolClientId: clientId } = client;
    this.userPoolId = userPoolId;
    this.authorizer = new HttpJwtAuthorizer("admins", authority, { jwtAudience: [clientId] });
    this.siteVariables = {
      [settingsVariables.base_url]: baseUrl,
      [settingsVariables.authority]: authority,
      [settingsVariables.client_id]: clientId,
      [loginOriginsVariable]: domain.baseUrl(),
    };
  }

  private userPool(): UserPool {
    const userPool = new UserPool(this, "UserPool", {
      selfSignUpEnabled: false,
      // By name alone, and the name of a user is the address: the access token then says who acts in words that admins know.
      signInAliases: { username: true },
      signInCaseSensitive: false,
      standardAttributes: { email: { required: true, mutable: true } },
      passwordPolicy: {
        minLength: 14,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: false,
        tempPasswordValidity: Duration.days(7),
      },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      // The plan of the login pages that are configured here.
      featurePlan: FeaturePlan.ESSENTIALS,
      userInvitation: {
        emailSubject: "Your account at the Integration API",
        emailBody:
          "<p>You can now administer the Integration API.</p><p>Your user name is <b>{username}</b>, and your password for the first login <b>{####}</b>. It is good for 7 days.</p>",
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const resource = userPool.node.defaultChild;
    // A logical id that no refactoring moves: CloudFormation would replace the pool by an empty one.
    if (resource instanceof CfnUserPool) resource.overrideLogicalId("UserPool");
    return userPool;
  }

  private domain(userPool: UserPool): UserPoolDomain {
    // Unique in the region among all accounts: the first part of the GUID in the id of the stack.
    const unique = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));
    return userPool.addDomain("Domain", {
      cognitoDomain: { domainPrefix: `integration-api-${unique}` },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
  }

  private client(userPool: UserPool, address: string): UserPoolClient {
    const client = userPool.addClient("WebInterface", {
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

  /** The user stays if the context value is left out of a later deployment. */
  private inviteSuperuser({ userPoolId }: UserPool, email: string): void {
    const user = new CfnUserPoolUser(this, "FirstSuperuser", {
      userPoolId,
      username: email,
      userAttributes: [
        { name: "email", value: email },
        { name: "email_verified", value: "true" },
      ],
      desiredDeliveryMediums: ["EMAIL"],
    });
    const membership = new CfnUserPoolUserToGroupAttachment(this, "FirstSuperuserGroup", {
      userPoolId,
      groupName: "Superuser",
      username: user.ref,
    });
    membership.node.addDependency(this.node.findChild("SuperuserGroup"));
    for (const resource of [user, membership]) resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
