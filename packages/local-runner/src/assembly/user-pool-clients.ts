import * as z from "../zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

/** A program that lets users sign in at the pool: here, a page in a browser, which can keep no secret. */
export interface LoginClient {
  readonly id: string;
  readonly scopes: readonly string[];
  /** Where a login may come back to, to the letter. */
  readonly callbackUrls: readonly string[];
  /** Where a sign-out may come back to, to the letter. */
  readonly logoutUrls: readonly string[];
  readonly accessTokenSeconds: number;
  readonly idTokenSeconds: number;
  readonly mayRevoke: boolean;
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
  EnableTokenRevocation: z._default(z.boolean(), true),
  AccessTokenValidity: validity,
  IdTokenValidity: validity,
  TokenValidityUnits: z._default(
    z.strictObject({ AccessToken: unit, IdToken: unit, RefreshToken: z.optional(z.string()) }),
    { AccessToken: "hours", IdToken: "hours" },
  ),
});

const noRefresh = "the local login gives no refresh tokens: a session ends with its access token";
const harmless = {
  AuthSessionValidity: "concerns ways to sign in without the login page",
  ClientName: "a text for people",
  DefaultRedirectURI: "each login names where it comes back to",
  ExplicitAuthFlows: "concerns ways to sign in without the login page",
  PreventUserExistenceErrors: "the local login page never tells whether a user exists",
  ReadAttributes: "concerns calls with the token to the pool itself",
  RefreshTokenRotation: noRefresh,
  RefreshTokenValidity: noRefresh,
  WriteAttributes: "concerns calls with the token to the pool itself",
};

/** Reads the clients of the user pool. */
export const readClients = (
  resources: readonly StackResource[],
  ofPool: { UserPoolId: z.ZodMiniLiteral<string> },
): LoginClient[] =>
  resources.map((resource) => {
    const properties = readProperties(resource, z.strictObject({ ...clientSchema.shape, ...ofPool }), harmless);
    const { AccessToken, IdToken } = properties.TokenValidityUnits;
    return {
      id: resource.identity.ref,
      scopes: properties.AllowedOAuthScopes,
      callbackUrls: properties.CallbackURLs,
      logoutUrls: properties.LogoutURLs,
      accessTokenSeconds: properties.AccessTokenValidity * secondsOf[AccessToken],
      idTokenSeconds: properties.IdTokenValidity * secondsOf[IdToken],
      mayRevoke: properties.EnableTokenRevocation,
    };
  });
