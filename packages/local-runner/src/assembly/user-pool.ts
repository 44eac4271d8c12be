import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";
import { type LoginClient, readClients } from "./user-pool-clients.ts";

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
  const ofType = (type: string) => resources.filter((resource) => resource.type === `AWS::Cognito::${type}`);
  const [pool, another] = ofType("UserPool");
  if (another) {
    throw new LocalError(
      `${pool?.logicalId} and ${another.logicalId} cannot both run locally: only one user pool can.`,
    );
  }
  const isCaseSensitive = pool && readProperties(pool, poolSchema).UsernameConfiguration.CaseSensitive;
  // Without a pool in the app this accepts nothing, because no pool has an empty id.
  const ofPool = { UserPoolId: z.literal(pool?.identity.ref ?? "", "only the user pool of this app runs locally") };

  for (const domain of ofType("UserPoolDomain")) {
    readProperties(domain, z.strictObject({ ...ofPool, Domain: z.string() }));
  }
  const groupSchema = z.strictObject({ ...ofPool, GroupName: z.string() });
  const groups = ofType("UserPoolGroup").map((resource) => readProperties(resource, groupSchema).GroupName);

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
    const { Username, UserAttributes } = readProperties(resource, userSchema);
    return {
      username: Username,
      email: UserAttributes.find(({ Name }) => Name === "email")?.Value ?? Username,
      groups: attachments.filter((attachment) => attachment.Username === Username).map(({ GroupName }) => GroupName),
    };
  });
  const clients = readClients(ofType("UserPoolClient"), ofPool);
  return isCaseSensitive === undefined ? undefined : { isCaseSensitive, groups, users, clients };
};
