import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminDisableUserCommand,
  CognitoIdentityProviderClient,
  LimitExceededException,
  paginateListGroups,
  paginateListUsers,
  paginateListUsersInGroup,
  UsernameExistsException,
  type UserType,
} from "@aws-sdk/client-cognito-identity-provider";
import { explainAwsError, RecoveryError } from "../command.ts";
import type { User } from "./user-file.ts";

// Cognito's own limit for a page.
const pageSize = 60;

export interface UserPool {
  /** All users with their groups, in the order of their names. */
  users(): Promise<User[]>;
  groups(): Promise<string[]>;
  /** Creates a user, and invites those who are enabled by mail. False if there is a user with that name. */
  create(user: User): Promise<boolean>;
  disable(username: string): Promise<void>;
  addToGroup(username: string, group: string): Promise<void>;
  close(): void;
}

interface UserPoolOptions {
  id: string;
  /** The region of the environment or the profile unless given. */
  region: string | undefined;
}

/** The operations on a Cognito user pool that saving and restoring its users needs. Failures are explained. */
export const openUserPool = ({ id, region }: UserPoolOptions): UserPool => {
  const client = new CognitoIdentityProviderClient({ ...(region !== undefined && { region }), maxAttempts: 4 });
  const call = async <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await send();
    } catch (error) {
      throw explainAwsError(error, {
        what: `user pool ${id}${region === undefined ? "" : ` in ${region}`}`,
        ifMissing: "check --user-pool and --region.",
        actions:
          "cognito-idp:ListUsers, ListGroups and ListUsersInGroup to export, and ListGroups, AdminCreateUser, AdminDisableUser and AdminAddUserToGroup to restore",
      });
    }
  };
  const paging = { client, pageSize };
  // A paginator changes the request that it is given, so each gets a copy.
  const pool = Object.freeze({ UserPoolId: id });

  const groups = (): Promise<string[]> =>
    call(async () => {
      const names: string[] = [];
      for await (const { Groups = [] } of paginateListGroups(paging, { ...pool })) {
        names.push(...Groups.flatMap(({ GroupName }) => GroupName ?? []));
      }
      return names;
    });

  return {
    groups,
    users: () =>
      call(async () => {
        const groupsOf = new Map<string, string[]>();
        for (const GroupName of await groups()) {
          for await (const { Users = [] } of paginateListUsersInGroup(paging, { ...pool, GroupName })) {
            for (const { Username = "" } of Users) {
              groupsOf.set(Username, [...(groupsOf.get(Username) ?? []), GroupName]);
            }
          }
        }
        const users: User[] = [];
        for await (const { Users = [] } of paginateListUsers(paging, { ...pool })) {
          users.push(...Users.map((user) => userOf(user, groupsOf.get(user.Username ?? "") ?? [])));
        }
        return users.toSorted((a, b) => a.username.localeCompare(b.username));
      }),
    create: ({ username, email, email_verified, enabled }) =>
      call(async () => {
        try {
          await client.send(
            new AdminCreateUserCommand({
              ...pool,
              Username: username,
              UserAttributes: [
                { Name: "email", Value: email },
                { Name: "email_verified", Value: String(email_verified) },
              ],
              // A disabled user who is enabled later is invited then.
              ...(enabled ? { DesiredDeliveryMediums: ["EMAIL"] } : { MessageAction: "SUPPRESS" }),
            }),
          );
        } catch (error) {
          if (error instanceof UsernameExistsException) return false;
          if (!(error instanceof LimitExceededException)) throw error;
          throw new RecoveryError(
            `Cognito sends no more invitations today (${error.message}): run the same command again tomorrow, or let the user pool send mail through Amazon SES.`,
            { cause: error },
          );
        }
        return true;
      }),
    disable: (username) =>
      call(async () => {
        await client.send(new AdminDisableUserCommand({ ...pool, Username: username }));
      }),
    addToGroup: (username, GroupName) =>
      call(async () => {
        await client.send(new AdminAddUserToGroupCommand({ ...pool, Username: username, GroupName }));
      }),
    close: () => client.destroy(),
  };
};

const userOf = ({ Username = "", Attributes = [], Enabled = true, UserStatus }: UserType, groups: string[]): User => {
  const attribute = (name: string) => Attributes.find(({ Name }) => Name === name)?.Value;
  return {
    username: Username,
    email: attribute("email") ?? "",
    email_verified: attribute("email_verified") === "true",
    enabled: Enabled,
    status: UserStatus ?? "UNKNOWN",
    groups: groups.toSorted(),
  };
};
