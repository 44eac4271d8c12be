import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { ofType, readProperties, type StackResource } from "./stack-resources.ts";

/** A user that the template creates. */
interface PoolUser {
  username: string;
  email: string;
  groups: string[];
}

/** The user pool as the templates declare it. */
export interface UserPoolDefinition {
  /** Whether `Admin` and `admin` are different users. */
  isCaseSensitive: boolean;
  groups: string[];
  users: PoolUser[];
  clients: LoginClient[];
}

// Strict: aliases would change a token's `username`, and triggers its other claims.
const poolSchema = z.strictObject({
  UsernameConfiguration: z._default(z.strictObject({ CaseSensitive: z._default(z.boolean(), true) }), {
    CaseSensitive: true,
  }),
});

/** Reads the user pool of the stacks, or undefined if there is none. Throws if there are several, because there is one port. */
export const readUserPool = (resources: StackResource[]): UserPoolDefinition | undefined => {
  const cognito = (type: string) => ofType(resources, `AWS::Cognito::${type}`);
  const [pool, another] = cognito("UserPool");
  if (another) {
    throw new LocalError(
      `${pool?.logicalId} and ${another.logicalId} cannot both run locally: only one user pool can.`,
    );
  }
  const isCaseSensitive = pool && readProperties(pool, poolSchema).UsernameConfiguration.CaseSensitive;
  // Without a pool in the app this accepts nothing, because no pool has an empty id.
  const ofPool = { UserPoolId: z.literal(pool?.identity.ref ?? "", "only the user pool of this app runs locally") };

  for (const domain of cognito("UserPoolDomain")) {
    readProperties(domain, z.strictObject({ ...ofPool, Domain: z.string() }));
  }
  const groupSchema = z.strictObject({ ...ofPool, GroupName: z.string() });
  const groups = cognito("UserPoolGroup").map((resource) => readProperties(resource, groupSchema).GroupName);

  const attachmentSchema = z.strictObject({ ...ofPool, GroupName: z.enum(groups), Username: z.string() });
  const attachments = cognito("UserPoolUserToGroupAttachment").map((resource) =>
    readProperties(resource, attachmentSchema),
  );
  const userSchema = z.strictObject({
    ...ofPool,
    Username: z.string(),
    UserAttributes: z._default(z.array(z.strictObject({ Name: z.string(), Value: z.string() })), []),
  });
  const users = cognito("UserPoolUser").map((resource): PoolUser => {
    const { Username, UserAttributes } = readProperties(resource, userSchema);
    return {
      username: Username,
      email: UserAttributes.find(({ Name }) => Name === "email")?.Value ?? Username,
      groups: attachments.filter((attachment) => attachment.Username === Username).map(({ GroupName }) => GroupName),
    };
  });
  const clients = readClients(cognito("UserPoolClient"), ofPool);
  return isCaseSensitive === undefined ? undefined : { isCaseSensitive, groups, users, clients };
};

/** A program that lets users sign in to the pool. Locally it is a page in a browser, which cannot keep a secret. */
export interface LoginClient {
  id: string;
  scopes: string[];
  /** The exact addresses that a login may return to. */
  callbackUrls: string[];
  /** The exact addresses that a sign-out may return to. */
  logoutUrls: string[];
  accessTokenSeconds: number;
  idTokenSeconds: number;
}

const secondsOf = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };
const unit = z._default(z.enum(["seconds", "minutes", "hours", "days"]), "hours");
const validity = z._default(z.coerce.number().check(z.positive()), 1);

const onlyCode = "only the code flow runs locally";

const clientSchema = z.strictObject({
  UserPoolId: z.string(),
  AllowedOAuthFlows: z.tuple([z.literal("code", onlyCode)], onlyCode),
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
});

/** Reads the clients of the user pool. */
export const readClients = (
  resources: StackResource[],
  ofPool: { UserPoolId: z.ZodMiniLiteral<string> },
): LoginClient[] =>
  resources.map((resource) => {
    const properties = readProperties(resource, z.strictObject({ ...clientSchema.shape, ...ofPool }));
    const { AccessToken, IdToken } = properties.TokenValidityUnits;
    return {
      id: resource.identity.ref,
      scopes: properties.AllowedOAuthScopes,
      callbackUrls: properties.CallbackURLs,
      logoutUrls: properties.LogoutURLs,
      accessTokenSeconds: properties.AccessTokenValidity * secondsOf[AccessToken],
      idTokenSeconds: properties.IdTokenValidity * secondsOf[IdToken],
    };
  });
