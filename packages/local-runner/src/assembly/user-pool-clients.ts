import * as z from "../support/zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

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
  mayRevoke: boolean;
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
      mayRevoke: properties.EnableTokenRevocation,
    };
  });
