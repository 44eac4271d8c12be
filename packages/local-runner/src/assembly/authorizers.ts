import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

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
  const issuers = resources
    .filter(({ type }) => type === "AWS::Cognito::UserPool")
    .map(({ identity }) => identity.attributes.ProviderURL);
  const authorizers = resources.filter(({ type }) => type === "AWS::ApiGatewayV2::Authorizer");
  return new Map(
    authorizers.map((resource) => {
      const { Issuer: issuer, Audience: audience } = readProperties(resource, authorizerSchema).JwtConfiguration;
      if (!issuers.includes(issuer)) {
        throw new LocalError(
          `${resource.logicalId} of stack ${resource.stackName} cannot run locally: it trusts the issuer ${issuer}, ` +
            "which is not the ProviderURL of a user pool of this app.",
        );
      }
      return [resource.identity.ref, { issuer, audience }];
    }),
  );
};
