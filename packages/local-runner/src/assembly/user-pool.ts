import { LocalError } from "../local-error.ts";
import * as z from "../zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";
import { type LoginClient, readClients } from "./user-pool-clients.ts";

/** A user that the template creates. */
export interface PoolUser {
  readonly username: string;
  readonly email: string;
  readonly groups: readonly string[];
}

/** The user pool as the templates declare it. */
export interface UserPoolDefinition {
  /** Whether `Admin` and `admin` are two users. */
  readonly isCaseSensitive: boolean;
  readonly groups: readonly string[];
  readonly users: readonly PoolUser[];
  readonly clients: readonly LoginClient[];
}

// Strict: aliases would change what a token's `username` is, and triggers what else it says.
const poolSchema = z.strictObject({
  UsernameConfiguration: z._default(z.strictObject({ CaseSensitive: z._default(z.boolean(), true) }), {
    CaseSensitive: true,
  }),
});

const noMessages = "the local run sends no messages";
const noSecondFactor = "the local login asks for a password alone";
const harmlessOfPool = {
  AccountRecoverySetting: noMessages,
  AdminCreateUserConfig: "locally the users are those of the template and those that the run makes",
  AutoVerifiedAttributes: noMessages,
  DeletionProtection: "the local run never deletes a user",
  DeviceConfiguration: noSecondFactor,
  EmailAuthenticationMessage: noMessages,
  EmailAuthenticationSubject: noMessages,
  EmailConfiguration: noMessages,
  EmailVerificationMessage: noMessages,
  EmailVerificationSubject: noMessages,
  EnabledMfas: noSecondFactor,
  MfaConfiguration: noSecondFactor,
  Policies: "the local run makes the passwords, at random",
  Schema: "the local users have the attributes that the tokens tell of",
  SmsAuthenticationMessage: noMessages,
  SmsConfiguration: noMessages,
  SmsVerificationMessage: noMessages,
  UserAttributeUpdateSettings: "locally nobody changes an attribute",
  UserPoolAddOns: "there is nobody to defend a loopback address against",
  UserPoolName: "a text for people",
  UserPoolTags: "a text for people",
  UserPoolTier: "nothing is paid for locally",
  VerificationMessageTemplate: noMessages,
  WebAuthnRelyingPartyID: noSecondFactor,
  WebAuthnUserVerification: noSecondFactor,
};
const harmlessOfGroup = {
  Description: "a text for people",
  Precedence: "chooses among roles, which no local group has",
};
const harmlessOfUser = {
  DesiredDeliveryMediums: noMessages,
  ForceAliasCreation: "there are no aliases",
  MessageAction: noMessages,
};
const harmlessOfDomain = {
  CustomDomainConfig: "the local login has an address of its own",
  ManagedLoginVersion: "the local login has a page of its own",
};

/** Reads the user pool of the stacks, or undefined if there is none. Throws if there are several: `PORT`+3 is one. */
export function readUserPool(resources: readonly StackResource[]): UserPoolDefinition | undefined {
  const ofType = (type: string) => resources.filter((resource) => resource.type === `AWS::Cognito::${type}`);
  const [pool, another] = ofType("UserPool");
  if (another) {
    throw new LocalError(`${pool?.logicalId} and ${another.logicalId} cannot both run locally: one user pool can.`);
  }
  const isCaseSensitive = pool && readProperties(pool, poolSchema, harmlessOfPool).UsernameConfiguration.CaseSensitive;
  // A pool outside of the app is no text that this can be.
  const ofPool = { UserPoolId: z.literal(pool?.identity.ref ?? "", "only the user pool of this app runs locally") };

  for (const domain of ofType("UserPoolDomain")) {
    readProperties(domain, z.strictObject({ ...ofPool, Domain: z.string() }), harmlessOfDomain);
  }
  const groupSchema = z.strictObject({ ...ofPool, GroupName: z.string() });
  const groups = ofType("UserPoolGroup").map(
    (resource) => readProperties(resource, groupSchema, harmlessOfGroup).GroupName,
  );

  const attachmentSchema = z.strictObject({ ...ofPool, GroupName: z.enum(groups), Username: z.string() });
  const attachments = ofType("UserPoolUserToGroupAttachment").map((resource) =>
    readProperties(resource, attachmentSchema),
  );
  const userSchema = z.strictObject({
    ...ofPool,
    Username: z.string(),
    UserAttributes: z._default(z.array(z.strictObject({ Name: z.string(), Value: z.string() })), []),
  });
  const users = ofType("UserPoolUser").map((resource): PoolUser => {
    const { Username, UserAttributes } = readProperties(resource, userSchema, harmlessOfUser);
    return {
      username: Username,
      email: UserAttributes.find(({ Name }) => Name === "email")?.Value ?? Username,
      groups: attachments.filter((attachment) => attachment.Username === Username).map(({ GroupName }) => GroupName),
    };
  });
  const clients = readClients(ofType("UserPoolClient"), ofPool);
  return isCaseSensitive === undefined ? undefined : { isCaseSensitive, groups, users, clients };
}
