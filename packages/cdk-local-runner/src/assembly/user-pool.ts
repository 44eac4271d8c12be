import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { type DeployedStacks, refusal, resourceType } from "./stack-resources.ts";

/** The user pool as the templates declare it. */
export interface UserPoolDefinition {
  /** Whether `Admin` and `admin` are different users. */
  isCaseSensitive: boolean;
  groups: string[];
  clients: LoginClient[];
}

/** An application that lets users sign in to the pool. Locally it is a web page, which can't keep a secret. */
export interface LoginClient {
  id: string;
  /** Its name for people. */
  name?: string | undefined;
  scopes: string[];
  /** The exact addresses that a login may redirect to. */
  callbackUrls: string[];
  /** The exact addresses that a sign-out may redirect to. */
  logoutUrls: string[];
  accessTokenSeconds: number;
  idTokenSeconds: number;
}

export const poolType = resourceType({
  type: "AWS::Cognito::UserPool",
  ref: ({ environment, logicalId }) => `${environment.region}_${logicalId}`,
  attributes: ({ environment: { region, urlSuffix }, logicalId, loginUrl, arn }) => ({
    Arn: arn("cognito-idp", `userpool/${region}_${logicalId}`),
    ProviderName: `cognito-idp.${region}.${urlSuffix}/${region}_${logicalId}`,
    // The issuer of the tokens, and the base of its discovery document.
    ProviderURL: loginUrl,
    UserPoolId: `${region}_${logicalId}`,
  }),
  ignored: {
    "the local run sends no messages":
      "AccountRecoverySetting AutoVerifiedAttributes EmailConfiguration EmailVerificationMessage EmailVerificationSubject " +
      "SmsConfiguration SmsVerificationMessage VerificationMessageTemplate",
    "the local users are made by the run": "AdminCreateUserConfig",
    "the local run never deletes a user": "DeletionProtection",
    "the local login asks for a password only": "EnabledMfas MfaConfiguration",
    "the local run makes random passwords": "Policies",
    "the local users have the attributes that the tokens show": "Schema",
    "text for people": "UserPoolName UserPoolTags",
    "nothing is paid for locally": "UserPoolTier",
  },
  // Strict, because aliases would change a token's `username`, and triggers would change its other claims.
  schema: z.strictObject({
    UsernameConfiguration: z._default(z.strictObject({ CaseSensitive: z._default(z.boolean(), true) }), {
      CaseSensitive: true,
    }),
  }),
});

const domainType = resourceType({
  type: "AWS::Cognito::UserPoolDomain",
  nameProperty: "Domain",
  ignored: { "the local login has its own page": "ManagedLoginVersion" },
  schema: z.strictObject({ UserPoolId: z.string(), Domain: z.string() }),
});

const groupType = resourceType({
  type: "AWS::Cognito::UserPoolGroup",
  nameProperty: "GroupName",
  ignored: { "chooses among roles, and a local group has none": "Precedence" },
  schema: z.strictObject({ UserPoolId: z.string(), GroupName: z.string() }),
});

const secondsOf = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };
const unit = z._default(z.enum(["seconds", "minutes", "hours", "days"]), "hours");
const validity = z._default(z.coerce.number().check(z.positive()), 1);

const onlyCode = "only the code flow runs locally";
const isOnlyCode = (flows: string[]): boolean => flows.join() === "code";
const noRefresh = "the local login issues no refresh tokens: a session ends with its access token";

const clientType = resourceType({
  type: "AWS::Cognito::UserPoolClient",
  attributes: ({ logicalId }) => ({ ClientId: logicalId }),
  ignored: {
    "concerns ways to sign in without the login page": "ExplicitAuthFlows",
    "the local login page never tells whether a user exists": "PreventUserExistenceErrors",
    [noRefresh]: "EnableTokenRevocation RefreshTokenValidity",
  },
  schema: z.strictObject({
    UserPoolId: z.string(),
    ClientName: z.optional(z.string()),
    // The CDK's default also enables the implicit flow. If this property is ignored, the client gets only the code flow.
    AllowedOAuthFlows: z._default(z.array(z.string()).check(z.refine(isOnlyCode, onlyCode)), ["code"]),
    AllowedOAuthFlowsUserPoolClient: z.literal(true),
    AllowedOAuthScopes: z.array(z.string()).check(z.minLength(1)),
    CallbackURLs: z.array(z.string()).check(z.minLength(1)),
    LogoutURLs: z._default(z.array(z.string()), []),
    GenerateSecret: z.optional(z.literal(false, "only clients without a secret run locally")),
    SupportedIdentityProviders: z.optional(z.array(z.literal("COGNITO", "only the pool's own users exist locally"))),
    AccessTokenValidity: validity,
    IdTokenValidity: validity,
    TokenValidityUnits: z._default(
      z.strictObject({ AccessToken: unit, IdToken: unit, RefreshToken: z.optional(z.string()) }),
      { AccessToken: "hours", IdToken: "hours" },
    ),
  }),
});

export const userPoolTypes = [poolType, domainType, groupType, clientType];

/**
 * Reads the user pool of the stacks, or undefined if there is none. Throws if there are several, because there is only one port.
 */
export const readUserPool = ({ read, readEach, all }: DeployedStacks): UserPoolDefinition | undefined => {
  const [pool] = read(poolType);
  const [first, another] = all(poolType);
  if (another) {
    const both = `${first?.logicalId} and ${another.logicalId}`;
    throw new LocalError(`${both} cannot both run locally: only one user pool can.`);
  }
  const ofPool: typeof readEach = (type, make) =>
    readEach(type, (entry) => {
      if (Object(entry.properties).UserPoolId === first?.ref) return make(entry);
      throw refusal(entry.resource, "only the user pool of this app runs locally");
    });
  ofPool(domainType, () => {});
  const groups = ofPool(groupType, ({ properties }) => properties.GroupName);
  const clients = ofPool(clientType, ({ resource, properties }) => ({
    id: resource.ref,
    name: properties.ClientName,
    scopes: properties.AllowedOAuthScopes,
    callbackUrls: properties.CallbackURLs,
    logoutUrls: properties.LogoutURLs,
    accessTokenSeconds: properties.AccessTokenValidity * secondsOf[properties.TokenValidityUnits.AccessToken],
    idTokenSeconds: properties.IdTokenValidity * secondsOf[properties.TokenValidityUnits.IdToken],
  }));
  return pool && { isCaseSensitive: pool.properties.UsernameConfiguration.CaseSensitive, groups, clients };
};
